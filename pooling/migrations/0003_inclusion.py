from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0002_rules")]

    operations = [
        migrations.AddField(
            model_name="candidate",
            name="inclusion",
            field=models.FloatField(
                blank=True,
                help_text="For a sample: the probability with which it came to be in the pool.",
                null=True,
            ),
        ),
    ]
