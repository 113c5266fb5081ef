"""Rules about decisions and referrals, and about slots of pairs that are opened again."""

from __future__ import annotations

from accounts.rules import kept_rows
from annotation.rules.judgments import COLLECTION_OF_PAIR
from database.triggers import Rule, keep, reject

DECISION, REFERRAL = "adjudication_decision", "adjudication_referral"
# Judgments that no slot shows any more, or that are of another pair.
NOT_SHOWN = " OR ".join(
    "NOT EXISTS (SELECT 1 FROM annotation_slot s WHERE s.pair_id = NEW.pair_id "
    f"AND s.number = {number} AND s.judgment_id = NEW.{side}_id)"
    for side, number in (("first", 1), ("second", 2))
)

JUDGES_SLOT = (
    "EXISTS (SELECT 1 FROM annotation_slot s "
    "WHERE s.pair_id = NEW.pair_id AND s.annotator_id = NEW.adjudicator_id)"
)
JUDGED_BEFORE = (
    "EXISTS (SELECT 1 FROM annotation_slot s JOIN annotation_judgment j ON j.slot_id = s.id "
    "WHERE s.pair_id = NEW.pair_id AND j.annotator_id = NEW.adjudicator_id)"
)
# A release holds reasons, so it must not follow the words of a page. Empty where there is a grade.
CODES = "'', 'garbled', 'language', 'other', 'source'"
NOT_ON_THE_SCALE = (
    "NEW.grade > 1 AND NEW.grade > (SELECT c.highest_grade FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE p.id = NEW.pair_id)"
)


def ruling_rules(name: str, table: str, kept_as: str) -> list[Rule]:
    """The rules of every ruling of an adjudicator: a decision, or a grade given blind."""
    refused = {
        "on_standing_judgments": NOT_SHOWN,
        "reason_is_a_code": f"NEW.grade IS NULL AND NEW.reason NOT IN ({CODES})",
        "grade_on_the_scale": NOT_ON_THE_SCALE,
        "not_by_a_judge": f"{JUDGES_SLOT} OR {JUDGED_BEFORE}",
    }
    return [
        *kept_rows(kept_as, table=table, collection=COLLECTION_OF_PAIR.format(row="OLD")),
        *(
            reject(f"{name}_{rule}", table=table, event="INSERT", when=when)
            for rule, when in refused.items()
        ),
    ]


DECISIONS = [
    *ruling_rules("decision", DECISION, kept_as=DECISION),
    reject(
        "decision_after_the_last_referral",
        table=DECISION,
        event="INSERT",
        when=(
            "NEW.referral_count <> "
            "(SELECT p.referral_count FROM annotation_pair p WHERE p.id = NEW.pair_id)"
        ),
    ),
]

REFERRALS = [
    *kept_rows("referral", table=REFERRAL, collection=COLLECTION_OF_PAIR.format(row="OLD")),
    reject("referral_of_standing_judgments", table=REFERRAL, event="INSERT", when=NOT_SHOWN),
    keep(
        "mark_pair_for_the_adjudicator",
        table=REFERRAL,
        event="INSERT",
        statements=[
            "UPDATE annotation_pair SET referral_count = referral_count + 1 "
            "WHERE id = NEW.pair_id AND NEW.recipient = 'adjudicator'"
        ],
    ),
    keep(
        "mark_slots_empty_for_two_judges",
        table=REFERRAL,
        event="INSERT",
        statements=[
            "UPDATE annotation_slot SET judgment_id = NULL, postponed_at = NULL "
            "WHERE pair_id = NEW.pair_id AND NEW.recipient = 'judges'",
            "UPDATE annotation_pair SET referral_count = 0 "
            "WHERE id = NEW.pair_id AND NEW.recipient = 'judges' AND referral_count > 0",
        ],
    ),
]

EMPTIED = "OLD.judgment_id IS NOT NULL AND NEW.judgment_id IS NULL"
NOT_OPENED_AGAIN = (
    "NOT EXISTS (SELECT 1 FROM adjudication_referral r WHERE r.pair_id = OLD.pair_id "
    "AND r.recipient = 'judges' AND OLD.judgment_id IN (r.first_id, r.second_id)) "
    "AND NOT EXISTS (SELECT 1 FROM annotation_guidelinechange c "
    "JOIN annotation_opening o ON o.id = c.opening_id "
    "JOIN annotation_pair p ON p.query_id = o.query_id "
    "JOIN annotation_judgment j ON j.id = OLD.judgment_id "
    "WHERE p.id = OLD.pair_id AND c.round > j.round)"
)
ANOTHER_SLOTS = "NEW.id <> (SELECT slot_id FROM annotation_judgment WHERE id = NEW.judgment_id)"
OTHER_JUDGE = (
    "EXISTS (SELECT 1 FROM annotation_judgment j JOIN annotation_slot o ON o.id = j.slot_id "
    "WHERE o.pair_id = NEW.pair_id AND o.id <> NEW.id AND j.annotator_id = NEW.annotator_id)"
)
DECIDED = (
    "EXISTS (SELECT 1 FROM adjudication_decision d "
    "WHERE d.pair_id = NEW.pair_id AND d.adjudicator_id = NEW.annotator_id)"
)
SLOTS = [
    reject(
        "slot_shows_its_own_judgment",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=f"({EMPTIED} AND {NOT_OPENED_AGAIN}) OR {ANOTHER_SLOTS}",
    ),
    reject(
        "slot_shows_no_judgment_again",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=(
            "EXISTS (SELECT 1 FROM adjudication_referral r WHERE r.pair_id = NEW.pair_id "
            "AND r.recipient = 'judges' AND NEW.judgment_id IN (r.first_id, r.second_id))"
        ),
    ),
    # Only a pair that was opened again has judgments or decisions of people without a slot in it.
    reject(
        "slot_of_a_new_judge",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when=f"NEW.annotator_id <> OLD.annotator_id AND ({OTHER_JUDGE} OR {DECIDED})",
    ),
]
