"""Rules about blind ratings, what a decision needs of them, and claims."""

from __future__ import annotations

from adjudication.rules.decisions import (
    DECISION,
    JUDGED_BEFORE,
    JUDGES_SLOT,
    ruling_rules,
)
from annotation.rules.judgments import COLLECTION_OF_PAIR
from database.triggers import reject

RATING, CLAIM = "adjudication_blindrating", "adjudication_claim"
# Of the same person on the same two judgments.
ON_THE_SAME = (
    "r.pair_id = NEW.pair_id AND r.adjudicator_id = NEW.adjudicator_id "
    "AND r.first_id = NEW.first_id AND r.second_id = NEW.second_id"
)
DECIDED_ALREADY = f"EXISTS (SELECT 1 FROM {DECISION} r WHERE {ON_THE_SAME})"
# Who decided before the collection graded blind first has seen both judgments, and may change it.
NOT_RATED_FIRST = (
    "NOT NEW.is_imported AND (SELECT c.grades_blind_first FROM accounts_collection c "
    f"WHERE c.id = {COLLECTION_OF_PAIR.format(row='NEW')}) "
    f"AND NOT EXISTS (SELECT 1 FROM {RATING} r WHERE {ON_THE_SAME}) AND NOT {DECIDED_ALREADY}"
)
NOT_AGREED = (
    "NOT EXISTS (SELECT 1 FROM annotation_pair p "
    "JOIN annotation_judgment one ON one.id = NEW.first_id "
    "JOIN annotation_judgment two ON two.id = NEW.second_id "
    "WHERE p.id = NEW.pair_id AND p.referral_count = 0 AND one.grade = two.grade)"
)
# Both times are the program's, so that the clock of the database does not matter.
CLAIMED_BY_ANOTHER = (
    f"EXISTS (SELECT 1 FROM {CLAIM} l WHERE l.pair_id = NEW.pair_id "
    "AND l.adjudicator_id <> NEW.adjudicator_id AND l.expires_at > NEW.created_at)"
)

BLIND_RATINGS = [
    *ruling_rules("blind_rating", RATING, kept_as="blind_rating"),
    reject("blind_rating_before_the_decision", table=RATING, event="INSERT", when=DECIDED_ALREADY),
    reject(
        "blind_rating_spot_check_of_an_agreed_pair",
        table=RATING,
        event="INSERT",
        when=f"NEW.is_spot_check AND {NOT_AGREED}",
    ),
    reject(
        "blind_rating_not_on_anothers_claim",
        table=RATING,
        event="INSERT",
        when=CLAIMED_BY_ANOTHER,
    ),
    reject("decision_after_a_blind_rating", table=DECISION, event="INSERT", when=NOT_RATED_FIRST),
    reject(
        "decision_not_on_anothers_claim", table=DECISION, event="INSERT", when=CLAIMED_BY_ANOTHER
    ),
    # A pair that was opened again has earlier ratings, whose authors may have seen judgments of it.
    reject(
        "slot_of_no_blind_rater",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when=(
            "NEW.annotator_id <> OLD.annotator_id AND EXISTS (SELECT 1 "
            f"FROM {RATING} r WHERE r.pair_id = NEW.pair_id "
            "AND r.adjudicator_id = NEW.annotator_id)"
        ),
    ),
    reject(
        "claim_not_by_a_judge",
        table=CLAIM,
        event="INSERT",
        when=f"{JUDGES_SLOT} OR {JUDGED_BEFORE}",
    ),
]
