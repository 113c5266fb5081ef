"""A download of an archived collection records how many rows of each table it had."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_corpus_licence")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="exported_rows",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="How many rows of each table that download had.",
            ),
        ),
    ]
