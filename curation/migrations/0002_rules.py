"""The triggers and indexes of `curation/rules.py`."""

from django.db import migrations

from curation.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("curation", "0001_initial"), ("corpus", "0002_rules")]

    operations = RULES
