"""Rules about help requests. A migration of their own makes them, with their tables."""

from __future__ import annotations

from accounts.rules import JUDGES_SQL, kept_rows, not_being_deleted
from database.triggers import reject

HELP_REQUEST = "annotation_helprequest"
COLLECTION_OF_REQUEST = (
    f"(SELECT f.collection_id FROM {HELP_REQUEST} h JOIN corpus_facet f ON f.id = h.facet_id "
    "WHERE h.id = OLD.request_id)"
)
COLLECTION_OF_FACET = "(SELECT f.collection_id FROM corpus_facet f WHERE f.id = {row}.facet_id)"
MEMBER = (
    "EXISTS (SELECT 1 FROM accounts_membership m "
    f"WHERE m.collection_id = {COLLECTION_OF_FACET.format(row='NEW')} "
    "AND m.user_id = NEW.{column} AND m.role {roles})"
)
# The pair is under the facet, and the asker has it, in a slot or as a repeat of that name.
HAS_THE_PAIR = (
    "EXISTS (SELECT 1 FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "WHERE p.id = NEW.pair_id AND q.facet_id = NEW.facet_id AND (p.token = NEW.token AND EXISTS "
    "(SELECT 1 FROM annotation_slot s WHERE s.pair_id = p.id AND s.annotator_id = NEW.asker_id) "
    "OR EXISTS (SELECT 1 FROM annotation_slot s JOIN annotation_repeat r ON r.slot_id = s.id "
    "WHERE s.pair_id = p.id AND r.annotator_id = NEW.asker_id AND r.token = NEW.token)))"
)
# The pair is under the facet and has both judgments. The asker has no slot of it, and had none
# before it was opened again.
IS_OF_OTHERS = (
    "EXISTS (SELECT 1 FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "WHERE p.id = NEW.pair_id AND q.facet_id = NEW.facet_id AND p.token = NEW.token "
    "AND NOT EXISTS (SELECT 1 FROM annotation_slot s "
    "WHERE s.pair_id = p.id AND s.annotator_id = NEW.asker_id) AND NOT EXISTS (SELECT 1 "
    "FROM annotation_slot s JOIN annotation_judgment j ON j.slot_id = s.id "
    "WHERE s.pair_id = p.id AND j.annotator_id = NEW.asker_id) AND 2 = (SELECT COUNT(*) "
    "FROM annotation_slot s WHERE s.pair_id = p.id AND s.judgment_id IS NOT NULL))"
)
# 0008_adjudicators_ask makes these, in place of what 0004_help_requests made.
ASKERS = [
    reject(
        "help_request_on_an_own_pair",
        table=HELP_REQUEST,
        event="INSERT",
        when=f"NEW.pair_id IS NOT NULL AND NOT NEW.from_case AND NOT {HAS_THE_PAIR}",
    ),
    # Else an adjudicator could ask about an own pair, or before both have judged.
    reject(
        "help_request_on_a_case_of_others",
        table=HELP_REQUEST,
        event="INSERT",
        when=f"NEW.pair_id IS NOT NULL AND NEW.from_case AND NOT {IS_OF_OTHERS}",
    ),
    reject(
        "help_request_by_a_judge",
        table=HELP_REQUEST,
        event="INSERT",
        when=(
            "NOT NEW.from_case AND NOT "
            + MEMBER.format(column="asker_id", roles=f"IN {JUDGES_SQL}")
        ),
    ),
    reject(
        "help_request_from_a_case_by_an_adjudicator",
        table=HELP_REQUEST,
        event="INSERT",
        when="NEW.from_case AND NOT " + MEMBER.format(column="asker_id", roles="= 'adjudicator'"),
    ),
    reject(
        "help_request_keeps_its_words",
        table=HELP_REQUEST,
        event="UPDATE",
        columns="facet_id, pair_id, token, from_case, asker_id, text, key, asked_at",
    ),
]
HELP_REQUESTS = [
    reject(
        "help_request_answered_once",
        table=HELP_REQUEST,
        event="UPDATE",
        columns="answer, for_all, answered_by_id, answered_at",
        when="OLD.answered_at IS NOT NULL",
    ),
    # Admins never judge, so an answer comes from no judge of the pair.
    reject(
        "help_request_answered_by_an_admin",
        table=HELP_REQUEST,
        event="UPDATE",
        columns="answered_by_id",
        when=(
            "NEW.answered_by_id IS NOT NULL AND NOT "
            + MEMBER.format(column="answered_by_id", roles="= 'admin'")
        ),
    ),
    reject(
        "help_request_never_deleted",
        table=HELP_REQUEST,
        event="DELETE",
        when=not_being_deleted(COLLECTION_OF_FACET.format(row="OLD")),
    ),
    *kept_rows("help_reading", table="annotation_helpreading", collection=COLLECTION_OF_REQUEST),
    *kept_rows("help_example", table="annotation_helpexample", collection=COLLECTION_OF_REQUEST),
]
