"""An opening says whether the labels of its query paper were unchecked.

The column has no default, so that SQLite does not copy the table, which would lose its triggers.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_exclusions"), ("curation", "0002_rules")]

    operations = [
        migrations.AddField(
            model_name="opening",
            name="labels_unchecked",
            field=models.BooleanField(
                blank=True,
                help_text="Whether the query paper had predicted labels that no person had "
                "checked. Null for queries that were opened before this was recorded.",
                null=True,
            ),
        )
    ]
