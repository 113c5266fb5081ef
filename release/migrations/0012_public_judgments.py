"""A judgment from before a public version stays, also when the version is private again.

Everybody could read the labels of the version, so a revision could follow them.
"""

from django.db import migrations

from database.triggers import reject

# The first judgment is in the version. The one that the slot shows is from before it was public: a
# pair that was opened for two judges again shows none, or a newer one.
PUBLIC_SINCE = (
    "NEW.sequence > 1 AND EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_judgment j ON j.slot_id = s.id AND j.sequence = 1 "
    "JOIN annotation_judgment shown ON shown.id = s.judgment_id "
    "JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN release_release r ON r.collection_id = q.collection_id "
    "AND r.published_at > j.created_at "
    "JOIN release_publicperiod t ON t.release_id = r.id AND t.began_at > shown.created_at "
    "WHERE s.id = NEW.slot_id)"
)


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0011_referred_pairs"),
        ("annotation", "0002_rules"),
    ]

    operations = [
        reject(
            "judgment_before_public_version_stays",
            table="annotation_judgment",
            event="INSERT",
            when=PUBLIC_SINCE,
        )
    ]
