from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_actions"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="document_language",
            field=models.CharField(
                blank=True,
                db_default="en",
                default="en",
                help_text="The language of the documents' texts, such as en, ja or ar; empty if "
                "they are in several. Browsers choose fonts and line breaks by it.",
                max_length=35,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The language of the pages, such as de; empty for the browser's.",
                max_length=16,
            ),
        ),
    ]
