"""Triggers that keep the counts of slots and pairs, and SQL that the counts of rooms above share.

The numbers in the names give the order in which PostgreSQL runs and locks, by name.
"""

from __future__ import annotations

from database.triggers import Rule, keep

QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
# The judgments that both slots of a pair show. The alias is of the row of the pair.
BOTH_JUDGMENTS = (
    "FROM annotation_slot a "
    "JOIN annotation_slot b ON b.pair_id = a.pair_id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id "
    "WHERE a.pair_id = {row}.id AND a.number = 1"
)
DIFFER = "one.grade IS NULL OR two.grade IS NULL OR one.grade <> two.grade"


def change(expression: str) -> str:
    """SQL for a number after the UPDATE minus the number before it."""
    return f"({expression.format(row='NEW')}) - ({expression.format(row='OLD')})"


def count_shown(name: str, row: str, statement: str) -> Rule:
    """Run the statement when a slot shows another judgment and `row` (NEW or OLD) has one.

    A count that the new judgment adds to and the old one takes from needs two triggers. A first
    judgment takes from nothing: in one trigger, PostgreSQL planned the statement again for each
    judgment, because without a judgment before, nothing is left of it. That took 2 to 5 ms.
    """
    return keep(
        name,
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=f"NEW.judgment_id IS NOT OLD.judgment_id AND {row}.judgment_id IS NOT NULL",
        statements=[statement.format(row=row)],
    )


JUDGED = "CASE WHEN {row}.judgment_id IS NULL THEN 0 ELSE 1 END"
POSTPONED = (
    "CASE WHEN {row}.judgment_id IS NULL AND {row}.postponed_at IS NOT NULL THEN 1 ELSE 0 END"
)
UNGRADED = (
    "CASE WHEN EXISTS (SELECT 1 FROM annotation_judgment j "
    "WHERE j.id = {row}.judgment_id AND j.grade IS NULL) THEN 1 ELSE 0 END"
)
NEW_JUDGED_AT = "(SELECT j.created_at FROM annotation_judgment j WHERE j.id = NEW.judgment_id)"
COUNT_NEW_SLOT = (
    "INSERT INTO annotation_slotcount "
    "(query_id, number, annotator_id, total, judged, postponed, ungraded, latest_at) "
    f"SELECT {QUERY_OF}, {{row}}.number, {{row}}.annotator_id, 1, {JUDGED}, {POSTPONED}, "
    f"{UNGRADED}, {NEW_JUDGED_AT} WHERE TRUE "
    "ON CONFLICT (query_id, number, annotator_id) DO UPDATE SET "
    "total = annotation_slotcount.total + 1, "
    "judged = annotation_slotcount.judged + excluded.judged, "
    "postponed = annotation_slotcount.postponed + excluded.postponed, "
    "ungraded = annotation_slotcount.ungraded + excluded.ungraded, "
    "latest_at = COALESCE(excluded.latest_at, annotation_slotcount.latest_at)"
).format(row="NEW")
OF_OLD_SLOT = (
    f"WHERE query_id = {QUERY_OF} AND number = {{row}}.number "
    "AND annotator_id = {row}.annotator_id"
).format(row="OLD")
UNCOUNT_OLD_SLOT = (
    f"UPDATE annotation_slotcount SET total = total - 1, judged = judged - ({JUDGED}), "
    f"postponed = postponed - ({POSTPONED}), ungraded = ungraded - ({UNGRADED}) "
).format(row="OLD") + OF_OLD_SLOT
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
            f"latest_at = CASE WHEN latest_at > {NEW_JUDGED_AT} THEN latest_at "
            f"ELSE COALESCE({NEW_JUDGED_AT}, latest_at) END {OF_OLD_SLOT}"
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

# 1 if both slots of the slot's pair are judged.
BOTH = (
    "CASE WHEN {row}.judgment_id IS NOT NULL AND EXISTS (SELECT 1 FROM annotation_slot o "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    "AND o.judgment_id IS NOT NULL) THEN 1 ELSE 0 END"
)
# 1 if, further, they differ, lack a grade, or the pair was sent to the adjudicator.
DISPUTED = (
    "CASE WHEN EXISTS (SELECT 1 FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "JOIN annotation_judgment this ON this.id = {row}.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    "AND (other.grade IS NULL OR this.grade IS NULL OR other.grade <> this.grade "
    "OR (SELECT p.referral_count FROM annotation_pair p WHERE p.id = {row}.pair_id) > 0)) "
    "THEN 1 ELSE 0 END"
)
# The same for a row of the pair.
DISPUTED_PAIR = (
    f"CASE WHEN EXISTS (SELECT 1 {BOTH_JUDGMENTS} AND ({DIFFER} OR {{row}}.referral_count > 0)) "
    "THEN 1 ELSE 0 END"
)
LOCK_COUNT = "SELECT 1 FROM annotation_paircount WHERE query_id = "
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
        lock=LOCK_COUNT + QUERY_OF.format(row="NEW"),
        statements=[
            f"UPDATE annotation_paircount SET judged = judged + {change(BOTH)}, "
            f"disputed = disputed + {change(DISPUTED)}, revision = revision + 1 "
            f"WHERE query_id = {QUERY_OF.format(row='NEW')}"
        ],
    ),
    keep(
        "count_2_pair_referred",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        lock=f"{LOCK_COUNT}NEW.query_id",
        statements=[
            f"UPDATE annotation_paircount SET disputed = disputed + {change(DISPUTED_PAIR)}, "
            "revision = revision + 1 WHERE query_id = NEW.query_id"
        ],
    ),
]

COUNTS = [*SLOTS, *PAIRS]
