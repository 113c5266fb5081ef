"""The triggers and indexes of `annotation/rules/`."""

from django.db import migrations

from annotation.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial"), ("pooling", "0002_rules")]

    operations = RULES
