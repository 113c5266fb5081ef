from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_lock_and_roles")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="must_change_password",
            field=models.BooleanField(
                default=False,
                help_text="The password was made for this person, and is to be used once.",
            ),
        ),
    ]
