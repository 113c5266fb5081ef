from django.db import migrations, models

from database.columns import AddColumn


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [
        AddColumn(
            model_name="document",
            name="fields",
            field=models.JSONField(default=list, help_text="Fields of study."),
        ),
        AddColumn(
            model_name="document",
            name="is_topic",
            field=models.BooleanField(
                default=False, help_text="Stands for a short query; never a candidate itself."
            ),
        ),
    ]
