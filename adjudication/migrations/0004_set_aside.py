"""The decisions that a pair cannot be judged, for the gate of a release to count."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0003_counts")]

    operations = [
        migrations.AddIndex(
            model_name="decision",
            index=models.Index(
                condition=models.Q(("grade", None)),
                fields=["pair"],
                name="decision_without_grade",
            ),
        )
    ]
