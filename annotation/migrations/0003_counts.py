"""Counts of slots and pairs, kept by triggers, and the mark of pairs whose text changed."""

from django.db import migrations

from database.triggers import keep

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
JUDGED = "CASE WHEN {row}.judgment_id IS NULL THEN 0 ELSE 1 END"
POSTPONED = (
    "CASE WHEN {row}.judgment_id IS NULL AND {row}.postponed_at IS NOT NULL THEN 1 ELSE 0 END"
)
UNGRADED = (
    "CASE WHEN EXISTS (SELECT 1 FROM annotation_judgment j "
    "WHERE j.id = {row}.judgment_id AND j.grade IS NULL) THEN 1 ELSE 0 END"
)
# Whether both slots of the pair are judged, and whether they then differ or lack a grade.
BOTH = (
    "CASE WHEN {row}.judgment_id IS NOT NULL AND EXISTS (SELECT 1 FROM annotation_slot o "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    "AND o.judgment_id IS NOT NULL) THEN 1 ELSE 0 END"
)
DISPUTED = (
    "CASE WHEN EXISTS (SELECT 1 FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "JOIN annotation_judgment this ON this.id = {row}.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    "AND (other.grade IS NULL OR this.grade IS NULL OR other.grade <> this.grade)) "
    "THEN 1 ELSE 0 END"
)


def change(expression: str) -> str:
    return f"({expression.format(row='NEW')}) - ({expression.format(row='OLD')})"


COUNT_NEW_SLOT = (
    "INSERT INTO annotation_slotcount "
    "(query_id, number, annotator_id, total, judged, postponed, ungraded, latest) "
    f"SELECT {QUERY_OF}, {{row}}.number, {{row}}.annotator_id, 1, {JUDGED}, {POSTPONED}, "
    f"{UNGRADED}, {{row}}.judgment_id WHERE TRUE "
    "ON CONFLICT (query_id, number, annotator_id) DO UPDATE SET "
    "total = annotation_slotcount.total + 1, "
    "judged = annotation_slotcount.judged + excluded.judged, "
    "postponed = annotation_slotcount.postponed + excluded.postponed, "
    "ungraded = annotation_slotcount.ungraded + excluded.ungraded, "
    "latest = COALESCE(excluded.latest, annotation_slotcount.latest)"
).format(row="NEW")
OF_OLD_SLOT = (
    f"WHERE query_id = {QUERY_OF} AND number = {{row}}.number "
    "AND annotator_id = {row}.annotator_id"
).format(row="OLD")
UNCOUNT_OLD_SLOT = (
    f"UPDATE annotation_slotcount SET total = total - 1, judged = judged - ({JUDGED}), "
    f"postponed = postponed - ({POSTPONED}), ungraded = ungraded - ({UNGRADED}) "
).format(row="OLD") + OF_OLD_SLOT
LOCK_COUNT = f"SELECT 1 FROM annotation_paircount WHERE query_id = {QUERY_OF}"

# The numbers in the names give the order in which PostgreSQL runs and locks, by name.
SLOTS = [
    keep("count_1_slot_made", table="annotation_slot", event="INSERT", statements=[COUNT_NEW_SLOT]),
    keep(
        "count_1_slot_deleted",
        table="annotation_slot",
        event="DELETE",
        statements=[UNCOUNT_OLD_SLOT],
    ),
    keep(
        "count_1_slot_changed",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id, postponed_at",
        when=(
            "NEW.annotator_id = OLD.annotator_id AND (NEW.judgment_id IS NOT OLD.judgment_id "
            "OR NEW.postponed_at IS NOT OLD.postponed_at)"
        ),
        statements=[
            f"UPDATE annotation_slotcount SET judged = judged + {change(JUDGED)}, "
            f"postponed = postponed + {change(POSTPONED)}, "
            f"ungraded = ungraded + {change(UNGRADED)}, "
            "latest = CASE WHEN latest > NEW.judgment_id THEN latest "
            f"ELSE COALESCE(NEW.judgment_id, latest) END {OF_OLD_SLOT}"
        ],
    ),
    keep(
        "count_1_slot_handed_over",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when="NEW.annotator_id <> OLD.annotator_id",
        statements=[UNCOUNT_OLD_SLOT, COUNT_NEW_SLOT],
    ),
]
PAIRS = [
    keep(
        "count_2_pair_made",
        table="annotation_pair",
        event="INSERT",
        statements=[
            "INSERT INTO annotation_paircount (query_id, total, judged, disputed, revision) "
            "VALUES (NEW.query_id, 1, 0, 0, 0) "
            "ON CONFLICT (query_id) DO UPDATE SET total = annotation_paircount.total + 1"
        ],
    ),
    keep(
        "count_2_pair_deleted",
        table="annotation_pair",
        event="DELETE",
        statements=[
            "UPDATE annotation_paircount SET total = total - 1 WHERE query_id = OLD.query_id"
        ],
    ),
    # Two annotators may judge the two slots of a pair at once; then each would miss the other.
    keep(
        "count_2_pair_judged",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id",
        lock=LOCK_COUNT.format(row="NEW"),
        statements=[
            f"UPDATE annotation_paircount SET judged = judged + {change(BOTH)}, "
            f"disputed = disputed + {change(DISPUTED)}, revision = revision + 1 "
            f"WHERE query_id = {QUERY_OF.format(row='NEW')}"
        ],
    ),
]
MARK = "UPDATE annotation_pair SET text_changed = TRUE WHERE NOT text_changed AND "
TEXTS = [
    keep(
        "mark_pairs_of_a_changed_text",
        table="corpus_document",
        event="UPDATE",
        columns="title, sentences, labels",
        when=(
            "NEW.title <> OLD.title OR NEW.sentences <> OLD.sentences OR NEW.labels <> OLD.labels"
        ),
        statements=[
            f"{MARK} candidate_id IN "
            "(SELECT c.id FROM pooling_candidate c WHERE c.document_id = NEW.id)",
            f"{MARK} query_id IN (SELECT q.id FROM corpus_query q JOIN corpus_querypaper qp "
            "ON qp.id = q.query_paper_id WHERE qp.document_id = NEW.id)",
        ],
    ),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_rules"), ("corpus", "0001_initial")]

    operations = [*SLOTS, *PAIRS, *TEXTS]
