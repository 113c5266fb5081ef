"""The triggers and indexes of `studies/rules.py`."""

from django.db import migrations

from studies.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_initial"), ("adjudication", "0002_rules")]

    operations = RULES
