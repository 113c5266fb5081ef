"""Let the email of a report of an error be emptied, as `release/rules.py` says now."""

from importlib import import_module

from django.db import migrations

from database.triggers import dropped
from release.rules import ERRATUM_RULES

before = import_module("release.migrations.0002_rules").ERRATUM_RULES_BEFORE


class Migration(migrations.Migration):
    dependencies = [("release", "0004_rules_of_label_samples")]

    operations = [*map(dropped, before), *ERRATUM_RULES]
