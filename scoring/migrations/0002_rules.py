"""The triggers of `scoring/rules.py`."""

from django.db import migrations

from scoring.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial"), ("accounts", "0002_rules")]

    operations = RULES
