"""Ratings only after the rater's consent: `CONSENT_BEFORE_RATING` of `studies/rules.py`."""

from django.db import migrations

from studies.rules import CONSENT_BEFORE_RATING


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_rules"), ("annotation", "0009_consent_before_judging")]

    operations = CONSENT_BEFORE_RATING
