from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="corpus_version",
            field=models.PositiveBigIntegerField(
                default=0, help_text="Rises with every change to the documents."
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(
                condition=models.Q(("role__in", ["admin", "annotator"])),
                fields=("collection", "user"),
                name="membership_admin_never_annotator",
            ),
        ),
    ]
