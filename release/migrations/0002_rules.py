"""The triggers and indexes of `release/rules.py`."""

from django.db import migrations

from release.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("release", "0001_initial"), ("adjudication", "0002_rules")]

    operations = RULES
