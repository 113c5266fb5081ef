"""The analysis of a collection's texts; collections that exist keep the words as they are."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def keep_the_words(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("accounts", "Collection").objects.update(analysis="plain")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_scale")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="analysis",
            field=models.CharField(
                blank=True,
                default="",
                help_text="How the usual retrievers compare words, such as english; empty until "
                "documents show the language.",
                max_length=40,
            ),
        ),
        migrations.RunPython(keep_the_words, migrations.RunPython.noop),
    ]
