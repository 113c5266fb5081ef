"""A decision that a public version has stays, also when the version is private again.

Everybody could read the labels of the version, so a later decision could follow them. A pair that
is settled again has other judgments or another count of referrals, so its next decision is a first
one.
"""

from django.db import migrations

from database.triggers import reject

PUBLISHED = (
    "NEW.sequence > 1 AND EXISTS (SELECT 1 FROM adjudication_decision d "
    "JOIN annotation_pair p ON p.id = d.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN release_release r ON r.collection_id = q.collection_id "
    "AND r.published_at > d.created_at "
    "JOIN release_publicperiod t ON t.release_id = r.id "
    "WHERE d.pair_id = NEW.pair_id AND d.referral_count = NEW.referral_count "
    "AND d.first_id = NEW.first_id AND d.second_id = NEW.second_id)"
)


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0012_public_judgments"),
        ("adjudication", "0008_referrals"),
    ]

    operations = [
        reject(
            "decision_of_public_version_stays",
            table="adjudication_decision",
            event="INSERT",
            when=PUBLISHED,
        )
    ]
