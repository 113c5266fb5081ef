"""The triggers and indexes of `adjudication/rules/`."""

from django.db import migrations

from adjudication.rules import RULES


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0001_initial"), ("annotation", "0002_rules")]

    operations = RULES
