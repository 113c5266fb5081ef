"""Rules about the people who judge: annotators with a seat, who were never admins."""

from __future__ import annotations

from accounts.rules import JUDGES_SQL, kept_rows
from database.triggers import reject, reject_each

NO_ANNOTATOR = (
    "NOT EXISTS (SELECT 1 FROM accounts_membership m "
    "JOIN corpus_query q ON q.collection_id = m.collection_id "
    "JOIN annotation_opening o ON o.query_id = q.id "
    "WHERE o.id = NEW.opening_id AND m.user_id = NEW.annotator_id "
    f"AND m.role IN {JUDGES_SQL})"
)
EXCLUDED = (
    "EXISTS (SELECT 1 FROM annotation_exclusion e "
    "JOIN corpus_query q ON q.query_paper_id = e.query_paper_id "
    "JOIN annotation_opening o ON o.query_id = q.id "
    "WHERE o.id = NEW.opening_id AND e.annotator_id = NEW.annotator_id)"
)
EXCLUDED_FROM_SLOT = (
    "EXISTS (SELECT 1 FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "JOIN annotation_exclusion e ON e.query_paper_id = q.query_paper_id "
    "WHERE p.id = NEW.pair_id AND e.annotator_id = NEW.annotator_id)"
)
HAS_A_SEAT = (
    "EXISTS (SELECT 1 FROM annotation_seat s "
    "JOIN annotation_opening o ON o.id = s.opening_id "
    "JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.query_paper_id = NEW.query_paper_id AND s.annotator_id = NEW.annotator_id)"
)
HAS_PAIRS_TO_JUDGE = (
    f"OLD.role IN {JUDGES_SQL} AND EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id JOIN corpus_query q ON q.id = p.query_id "
    "WHERE s.annotator_id = OLD.user_id AND s.judgment_id IS NULL "
    "AND q.collection_id = OLD.collection_id)"
)
BY_AN_ADMIN = (
    "EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_givenrole g ON g.collection_id = q.collection_id "
    "WHERE s.id = NEW.slot_id AND g.user_id = NEW.annotator_id AND g.role = 'admin')"
)

SEAT_TAKEN = {"INSERT": "", "UPDATE": "annotator_id"}

PEOPLE = [
    *reject_each(
        "seat_of_an_annotator", table="annotation_seat", when=NO_ANNOTATOR, events=SEAT_TAKEN
    ),
    *reject_each(
        "seat_not_of_an_excluded", table="annotation_seat", when=EXCLUDED, events=SEAT_TAKEN
    ),
    reject(
        "slot_never_moved_to_an_excluded",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when=f"NEW.annotator_id <> OLD.annotator_id AND {EXCLUDED_FROM_SLOT}",
    ),
    reject(
        "exclusion_of_no_seat_holder", table="annotation_exclusion", event="INSERT", when=HAS_A_SEAT
    ),
    *reject_each(
        "membership_with_pairs_to_judge_stays",
        table="accounts_membership",
        when=HAS_PAIRS_TO_JUDGE,
        events={"DELETE": "", "UPDATE": ""},
    ),
    # Not even to an own slot: a former admin has seen sources and others' grades.
    reject(
        "judgment_never_by_an_admin",
        table="annotation_judgment",
        event="INSERT",
        when=BY_AN_ADMIN,
    ),
    *kept_rows("qualification", table="annotation_qualification", collection="OLD.collection_id"),
]
