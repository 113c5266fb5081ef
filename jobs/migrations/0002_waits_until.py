from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="waits_until",
            field=models.DateTimeField(
                blank=True, help_text="It waits for other work and looks again then.", null=True
            ),
        ),
    ]
