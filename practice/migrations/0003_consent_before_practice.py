"""Practice only after the person's consent: `CONSENT_BEFORE_PRACTICE` of `practice/rules.py`."""

from django.db import migrations

from practice.rules import CONSENT_BEFORE_PRACTICE


class Migration(migrations.Migration):
    dependencies = [("practice", "0002_rules"), ("annotation", "0009_consent_before_judging")]

    operations = CONSENT_BEFORE_PRACTICE
