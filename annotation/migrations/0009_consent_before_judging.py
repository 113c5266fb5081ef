"""Judgments only after the judge's consent: `CONSENT_BEFORE_JUDGING` of `rules/consent.py`."""

from django.db import migrations, models

from annotation.rules.consent import CONSENT_BEFORE_JUDGING


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_adjudicators_ask")]

    operations = [
        # Without a default, which SQLite would rebuild the largest table for.
        migrations.AddField(
            model_name="judgment",
            name="is_imported",
            field=models.BooleanField(
                blank=True,
                help_text="It was given elsewhere, and so was the consent. NULL is no.",
                null=True,
            ),
        ),
        *CONSENT_BEFORE_JUDGING,
    ]
