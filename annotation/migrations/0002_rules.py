"""What a judgment is about stays: its slot, its pair, and all that was shown with it."""

from django.db import migrations

from database.triggers import append_only, reject

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
OPENED_QUERY = "EXISTS (SELECT 1 FROM annotation_opening o WHERE o.query_id = OLD.id)"
OPENED_FACET = (
    "EXISTS (SELECT 1 FROM annotation_opening o JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.facet_id = OLD.id)"
)

JUDGMENTS = [
    *append_only("annotation_judgment"),
    *append_only("annotation_guideline"),
    reject(
        "judgment_by_the_slots_annotator",
        table="annotation_judgment",
        event="INSERT",
        when=(
            "NEW.annotator_id <> (SELECT annotator_id FROM annotation_slot WHERE id = NEW.slot_id)"
        ),
    ),
]
SLOTS = [
    reject(
        "slot_begins_empty",
        table="annotation_slot",
        event="INSERT",
        when="NEW.judgment_id IS NOT NULL",
    ),
    reject(
        "slot_judged_keeps_its_annotator",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when="OLD.judgment_id IS NOT NULL AND NEW.annotator_id <> OLD.annotator_id",
    ),
    reject(
        "slot_shows_its_own_judgment",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=(
            "(OLD.judgment_id IS NOT NULL AND NEW.judgment_id IS NULL) OR "
            "NEW.id <> (SELECT slot_id FROM annotation_judgment WHERE id = NEW.judgment_id)"
        ),
    ),
    reject(
        "slot_shows_its_latest_judgment",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=(
            "EXISTS (SELECT 1 FROM annotation_judgment shown, annotation_judgment later "
            "WHERE shown.id = NEW.judgment_id AND later.slot_id = NEW.id "
            "AND later.sequence > shown.sequence)"
        ),
    ),
    reject(
        "slot_stays_in_its_pair",
        table="annotation_slot",
        event="UPDATE",
        columns="pair_id, number",
        when="NEW.pair_id <> OLD.pair_id OR NEW.number <> OLD.number",
    ),
    reject(
        "slot_judged_never_deleted",
        table="annotation_slot",
        event="DELETE",
        when="OLD.judgment_id IS NOT NULL",
    ),
]
SEATS = [
    reject(
        "seat_given_to_an_annotator", table="annotation_seat", event="INSERT", when=NO_ANNOTATOR
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
WHAT_IS_JUDGED = [
    reject(
        "pair_never_edited",
        table="annotation_pair",
        event="UPDATE",
        columns="query_id, candidate_id, presentation_digest",
        when=(
            "NEW.query_id <> OLD.query_id OR NEW.candidate_id <> OLD.candidate_id "
            "OR NEW.presentation_digest <> OLD.presentation_digest"
        ),
    ),
    reject(
        "opening_never_edited",
        table="annotation_opening",
        event="UPDATE",
        columns="query_id, guideline_id",
        when="NEW.query_id <> OLD.query_id OR NEW.guideline_id <> OLD.guideline_id",
    ),
    reject(
        "query_stays_once_opened",
        table="corpus_query",
        event="UPDATE",
        columns="name, facet_id, query_paper_id",
        when=(
            "(NEW.name <> OLD.name OR NEW.facet_id <> OLD.facet_id "
            f"OR NEW.query_paper_id <> OLD.query_paper_id) AND {OPENED_QUERY}"
        ),
    ),
    reject(
        "facet_stays_once_opened",
        table="corpus_facet",
        event="UPDATE",
        columns="key, labels",
        when=f"(NEW.key <> OLD.key OR NEW.labels <> OLD.labels) AND {OPENED_FACET}",
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0001_initial"),
        ("accounts", "0001_initial"),
        ("corpus", "0001_initial"),
    ]

    operations = [*JUDGMENTS, *SLOTS, *SEATS, *WHAT_IS_JUDGED]
