from django.db import migrations

from database.triggers import reject

NO_ANNOTATOR = (
    "NOT EXISTS (SELECT 1 FROM accounts_membership m "
    "JOIN corpus_query q ON q.collection_id = m.collection_id "
    "JOIN annotation_opening o ON o.query_id = q.id "
    "WHERE o.id = NEW.opening_id AND m.user_id = NEW.annotator_id AND m.role = 'annotator')"
)
HAS_PAIRS_TO_JUDGE = (
    "OLD.role = 'annotator' AND EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id JOIN corpus_query q ON q.id = p.query_id "
    "WHERE s.annotator_id = OLD.user_id AND s.judgment_id IS NULL "
    "AND q.collection_id = OLD.collection_id)"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_rules"), ("accounts", "0002_lock_and_roles")]

    operations = [
        reject(
            "seat_given_to_an_annotator",
            table="annotation_seat",
            event="INSERT",
            when=NO_ANNOTATOR,
        ),
        reject(
            "seat_handed_to_an_annotator",
            table="annotation_seat",
            event="UPDATE",
            columns="annotator_id",
            when=NO_ANNOTATOR,
        ),
        reject(
            "membership_with_pairs_to_judge_stays",
            table="accounts_membership",
            event="DELETE",
            when=HAS_PAIRS_TO_JUDGE,
        ),
        reject(
            "membership_with_pairs_to_judge_unchanged",
            table="accounts_membership",
            event="UPDATE",
            when=HAS_PAIRS_TO_JUDGE,
        ),
    ]
