"""The triggers and indexes of `accounts/rules.py`."""

from django.db import migrations

from accounts.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = RULES
