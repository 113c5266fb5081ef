"""The triggers and indexes of `agreement/rules.py`."""

from django.db import migrations

from agreement.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("agreement", "0001_initial"), ("accounts", "0002_rules")]

    operations = RULES
