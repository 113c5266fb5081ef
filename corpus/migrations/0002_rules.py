"""The triggers and indexes of `corpus/rules.py`."""

from django.db import migrations

from corpus.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial"), ("accounts", "0002_rules")]

    operations = RULES
