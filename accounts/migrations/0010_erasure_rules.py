"""The triggers of `accounts/personal_data/rules.py`."""

from django.db import migrations

from accounts.personal_data.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("accounts", "0009_erased_people")]

    operations = RULES
