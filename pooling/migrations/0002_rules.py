"""The triggers and indexes of `pooling/rules.py`."""

from django.db import migrations

from pooling.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial"), ("corpus", "0002_rules")]

    operations = RULES
