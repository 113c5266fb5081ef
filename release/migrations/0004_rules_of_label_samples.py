"""The triggers on samples of citation labels, of `release/rules.py`."""

from django.db import migrations

from release.rules import LABEL_SAMPLES


class Migration(migrations.Migration):
    dependencies = [("release", "0003_label_samples")]

    operations = LABEL_SAMPLES
