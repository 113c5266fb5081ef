"""The triggers of `accounts/personal_data/rules.py`."""

from django.db import migrations

from accounts.personal_data.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_erased_people")]

    operations = RULES
