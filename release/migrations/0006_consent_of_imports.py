"""The counts of consent that an imported release states."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("release", "0005_emptied_senders")]

    operations = [
        migrations.AddField(
            model_name="releaseimport",
            name="consent",
            field=models.JSONField(
                blank=True,
                help_text="The counts of consent that the release states, if any.",
                null=True,
            ),
        ),
    ]
