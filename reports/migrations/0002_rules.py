"""The triggers and indexes of `reports/rules.py`."""

from django.db import migrations

from reports.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_initial"), ("accounts", "0002_rules")]

    operations = RULES
