"""The triggers of `annotation/rules/consent.py`."""

from django.db import migrations

from annotation.rules.consent import CONSENTS


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_consent"), ("accounts", "0012_consent")]

    operations = CONSENTS
