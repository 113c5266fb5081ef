"""A pair whose full texts a rater reads is not opened again for two blind judges."""

from django.db import migrations

from database.triggers import reject


class Migration(migrations.Migration):
    dependencies = [("studies", "0003_former_roles"), ("adjudication", "0008_referrals")]

    operations = [
        reject(
            "referral_of_a_pair_in_a_study",
            table="adjudication_referral",
            event="INSERT",
            when=(
                "NEW.recipient = 'judges' AND EXISTS "
                "(SELECT 1 FROM studies_studypair t WHERE t.pair_id = NEW.pair_id)"
            ),
        )
    ]
