"""The trigger of `adjudication/rules/help_examples.py`."""

from django.db import migrations

from adjudication.rules.help_examples import HELP_EXAMPLES


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0002_rules"), ("annotation", "0004_help_requests")]

    operations = HELP_EXAMPLES
