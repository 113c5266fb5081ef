"""Triggers that keep the counts of cases: decided ones, and due ones by their difference.

The numbers in the names give the order in which PostgreSQL runs and locks, by name.
"""

from __future__ import annotations

from annotation.rules.counts import BOTH_JUDGMENTS, DIFFER, QUERY_OF, count_shown
from annotation.rules.questions import waits_for_a_judge
from database.triggers import keep

DECISION = "adjudication_decision"
# A decision that stands while its pair was referred so often. It is about judgments that differ or
# lack a grade, or a pair that was sent to the adjudicator.
STANDING = (
    "FROM adjudication_decision d "
    "JOIN annotation_slot a ON a.pair_id = d.pair_id AND a.number = 1 "
    "AND a.judgment_id = d.first_id "
    "JOIN annotation_slot b ON b.pair_id = d.pair_id AND b.number = 2 "
    "AND b.judgment_id = d.second_id "
    "JOIN annotation_judgment one ON one.id = d.first_id "
    "JOIN annotation_judgment two ON two.id = d.second_id "
    f"WHERE ({DIFFER} OR d.referral_count > 0) AND d.referral_count = {{referral_count}}"
)
REFERRED = "(SELECT p.referral_count FROM annotation_pair p WHERE p.id = {alias}.pair_id)"
STANDS = STANDING.format(referral_count=REFERRED.format(alias="d"))


def is_settled(row: str) -> str:
    """SQL for 1 if the pair has a decision that stands with the referral count of `row`."""
    standing = STANDING.format(referral_count=f"{row}.referral_count")
    return f"CASE WHEN EXISTS (SELECT 1 {standing} AND d.pair_id = {row}.id) THEN 1 ELSE 0 END"


SETTLED_COUNTS = [
    keep(
        "count_3_case_decided",
        table=DECISION,
        event="INSERT",
        statements=[
            "INSERT INTO adjudication_casecount (query_id, settled, decisions) "
            f"SELECT {QUERY_OF.format(row='NEW')}, "
            f"CASE WHEN EXISTS (SELECT 1 {STANDS} AND d.id = NEW.id) "
            f"AND NOT EXISTS (SELECT 1 {STANDS} AND d.pair_id = NEW.pair_id AND d.id <> NEW.id) "
            "THEN 1 ELSE 0 END, 1 WHERE TRUE ON CONFLICT (query_id) DO UPDATE SET "
            "settled = adjudication_casecount.settled + excluded.settled, "
            "decisions = adjudication_casecount.decisions + 1"
        ],
    ),
    # A new judgment opens a decided case again: no decision was made on that judgment.
    keep(
        "count_3_case_reopened",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id AND OLD.judgment_id IS NOT NULL",
        statements=[
            "UPDATE adjudication_casecount SET settled = settled - 1 "
            f"WHERE query_id = {QUERY_OF.format(row='OLD')} AND EXISTS "
            "(SELECT 1 FROM adjudication_decision d JOIN annotation_slot o "
            "ON o.pair_id = d.pair_id AND o.number <> OLD.number "
            "JOIN annotation_judgment this ON this.id = OLD.judgment_id "
            "JOIN annotation_judgment other ON other.id = o.judgment_id "
            "WHERE d.pair_id = OLD.pair_id AND OLD.judgment_id IN (d.first_id, d.second_id) "
            "AND o.judgment_id IN (d.first_id, d.second_id) AND (this.grade IS NULL "
            "OR other.grade IS NULL OR this.grade <> other.grade OR d.referral_count > 0) "
            f"AND d.referral_count = {REFERRED.format(alias='d')})"
        ],
    ),
    keep(
        "count_3_pair_referred",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        statements=[
            "UPDATE adjudication_casecount "
            f"SET settled = settled + ({is_settled('NEW')}) - ({is_settled('OLD')}) "
            "WHERE query_id = NEW.query_id"
        ],
    ),
]

DIFFERENCE = (
    "CASE WHEN one.grade IS NULL OR two.grade IS NULL THEN 5 ELSE ABS(one.grade - two.grade) END"
)
# The case that the judgment of this slot makes with that of the other slot, if it is due.
DUE = (
    "FROM annotation_slot o JOIN annotation_judgment one ON one.id = {row}.judgment_id "
    "JOIN annotation_judgment two ON two.id = o.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number "
    f"AND ({DIFFER} OR {REFERRED.format(alias='o')} > 0) "
    "AND NOT EXISTS (SELECT 1 FROM adjudication_decision d WHERE d.pair_id = o.pair_id "
    "AND d.first_id = CASE o.number WHEN 1 THEN two.id ELSE one.id END "
    "AND d.second_id = CASE o.number WHEN 1 THEN one.id ELSE two.id END "
    f"AND d.referral_count = {REFERRED.format(alias='o')}) "
    f"AND NOT {waits_for_a_judge('o.pair_id')}"
)
# The case of a pair, if it has no decision while the pair was referred as often as `row` says.
UNDECIDED_PAIR = (
    f"{BOTH_JUDGMENTS} AND ({DIFFER} OR {{row}}.referral_count > 0) "
    "AND NOT EXISTS (SELECT 1 FROM adjudication_decision d WHERE d.pair_id = a.pair_id "
    "AND d.first_id = one.id AND d.second_id = two.id "
    "AND d.referral_count = {row}.referral_count)"
)
DUE_PAIR = f"{UNDECIDED_PAIR} AND NOT {waits_for_a_judge('a.pair_id')}"
COUNT_DUE = "INSERT INTO adjudication_duecount (query_id, difference, due) SELECT "
ONE_MORE = "ON CONFLICT (query_id, difference) DO UPDATE SET due = adjudication_duecount.due + 1"
UNCOUNT_DUE = "UPDATE adjudication_duecount SET due = due - 1 WHERE query_id = "
DUE_COUNTS = [
    count_shown(
        "count_4_case_due", "NEW", f"{COUNT_DUE}{QUERY_OF}, {DIFFERENCE}, 1 {DUE} {ONE_MORE}"
    ),
    count_shown(
        "count_4_case_due_no_longer",
        "OLD",
        f"{UNCOUNT_DUE}{QUERY_OF} AND difference = (SELECT {DIFFERENCE} {DUE})",
    ),
    keep(
        "count_4_case_decided",
        table=DECISION,
        event="INSERT",
        statements=[
            f"{UNCOUNT_DUE}{QUERY_OF.format(row='NEW')} "
            f"AND difference = (SELECT {DIFFERENCE} {STANDS} AND d.id = NEW.id) "
            f"AND NOT EXISTS (SELECT 1 {STANDS} AND d.pair_id = NEW.pair_id AND d.id <> NEW.id)"
        ],
    ),
    keep(
        "count_4_pair_due",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        statements=[
            f"{UNCOUNT_DUE}NEW.query_id AND difference = "
            f"(SELECT {DIFFERENCE} {DUE_PAIR.format(row='OLD')})",
            f"{COUNT_DUE}NEW.query_id, {DIFFERENCE}, 1 {DUE_PAIR.format(row='NEW')} {ONE_MORE}",
        ],
    ),
]
