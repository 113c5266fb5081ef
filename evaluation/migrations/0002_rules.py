"""The triggers and indexes of `evaluation/rules.py`."""

from django.db import migrations

from evaluation.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial"), ("annotation", "0002_rules")]

    operations = RULES
