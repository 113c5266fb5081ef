"""A rule about people: an owner-annotator sees pools and grades only when the work is done."""

from __future__ import annotations

from database.triggers import reject_each

# As an owner-annotator, the person had or has slots in a query that is not done: a slot of it is
# empty, or a case of it has no standing decision.
OWN_QUERY_NOT_DONE = (
    "NEW.role IN ('admin', 'adjudicator') AND EXISTS (SELECT 1 FROM accounts_givenrole g "
    "WHERE g.user_id = NEW.user_id AND g.collection_id = NEW.collection_id "
    "AND g.role = 'owner-annotator') "
    "AND EXISTS (SELECT 1 FROM annotation_slotcount o "
    "JOIN corpus_query q ON q.id = o.query_id "
    "JOIN annotation_paircount p ON p.query_id = q.id "
    "LEFT JOIN adjudication_casecount c ON c.query_id = q.id "
    "WHERE o.annotator_id = NEW.user_id AND o.total > 0 "
    "AND q.collection_id = NEW.collection_id "
    "AND (p.judged < p.total OR p.disputed > COALESCE(c.settled, 0)))"
)
PEOPLE = [
    *reject_each(
        "membership_owner_annotator_sees_after_judging",
        table="accounts_membership",
        when=OWN_QUERY_NOT_DONE,
        events={"INSERT": "", "UPDATE": ""},
    ),
]
