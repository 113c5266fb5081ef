from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0005_drawn_lists")]

    operations = [
        migrations.RemoveConstraint(model_name="run", name="run_name_once"),
        migrations.AddField(
            model_name="run",
            name="retired_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("retired_at", None)),
                fields=("collection", "name"),
                name="run_name_once",
            ),
        ),
    ]
