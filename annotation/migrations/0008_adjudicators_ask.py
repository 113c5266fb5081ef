"""Adjudicators ask the admin, too: a column of help requests, and the rules `ASKERS`."""

from importlib import import_module

from django.db import migrations, models

from annotation.rules.help_requests import ASKERS
from database.triggers import dropped

before = import_module("annotation.migrations.0004_help_requests").ASKERS_BEFORE


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_consent_rules")]

    operations = [
        *map(dropped, before),
        migrations.AddField(
            model_name="helprequest",
            name="from_case",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether an adjudicator asked it, on the page of a case.",
            ),
        ),
        *ASKERS,
    ]
