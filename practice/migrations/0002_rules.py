"""The triggers and indexes of `practice/rules.py`."""

from django.db import migrations

from practice.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("practice", "0001_initial"), ("annotation", "0002_rules")]

    operations = RULES
