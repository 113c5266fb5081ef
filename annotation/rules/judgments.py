"""Rules about judgments, their slots, and all that stays once a query is open."""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from database.triggers import changed, keep, reject

COLLECTION_OF_PAIR = (
    "(SELECT q.collection_id FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "WHERE p.id = {row}.pair_id)"
)
COLLECTION_OF_JUDGMENT = (
    "(SELECT q.collection_id FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id WHERE s.id = OLD.slot_id)"
)
# Every scale has 0 and 1, so most judgments need no look at the collection.
NOT_ON_THE_SCALE = (
    "NEW.grade > 1 AND NEW.grade > (SELECT c.highest_grade FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE s.id = NEW.slot_id)"
)
OPENING_OF_SLOT = (
    "FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN annotation_opening o ON o.query_id = p.query_id "
)
# An import may bring judgments under an earlier version; `show_judgment` asks for the present one.
NOT_OF_THE_ROUND = (
    f"NEW.round <> (SELECT o.round {OPENING_OF_SLOT} WHERE s.id = NEW.slot_id) "
    f"OR NEW.guideline_version > (SELECT g.version {OPENING_OF_SLOT} "
    "JOIN annotation_guideline g ON g.id = o.guideline_id WHERE s.id = NEW.slot_id)"
)
JUDGMENTS = [
    *kept_rows(
        "annotation_judgment", table="annotation_judgment", collection=COLLECTION_OF_JUDGMENT
    ),
    reject(
        "judgment_by_the_slots_annotator",
        table="annotation_judgment",
        event="INSERT",
        when=(
            "NEW.annotator_id <> (SELECT annotator_id FROM annotation_slot WHERE id = NEW.slot_id)"
        ),
    ),
    reject(
        "judgment_of_the_round",
        table="annotation_judgment",
        event="INSERT",
        when=NOT_OF_THE_ROUND,
    ),
    reject(
        "judgment_grade_on_the_scale",
        table="annotation_judgment",
        event="INSERT",
        when=NOT_ON_THE_SCALE,
    ),
]

# `adjudication/rules/decisions.py` says when a slot may show no judgment again.
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
        "slot_shows_a_judgment_of_the_round",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=(
            "(SELECT j.round FROM annotation_judgment j WHERE j.id = NEW.judgment_id) "
            f"<> (SELECT o.round {OPENING_OF_SLOT} WHERE s.id = NEW.id)"
        ),
    ),
    reject(
        "slot_stays_in_its_pair",
        table="annotation_slot",
        event="UPDATE",
        columns="pair_id, number",
        when=changed("pair_id", "number"),
    ),
    reject(
        "slot_judged_never_deleted",
        table="annotation_slot",
        event="DELETE",
        when=(
            "OLD.judgment_id IS NOT NULL "
            f"AND {not_being_deleted(COLLECTION_OF_PAIR.format(row='OLD'))}"
        ),
    ),
]

OPENED_QUERY = "EXISTS (SELECT 1 FROM annotation_opening o WHERE o.query_id = OLD.id)"
OPENED_FACET = (
    "EXISTS (SELECT 1 FROM annotation_opening o JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.facet_id = OLD.id)"
)
OPENED_COLLECTION = (
    "EXISTS (SELECT 1 FROM annotation_opening o JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.collection_id = {collection})"
)
COLLECTION_OF_OPENING = (
    "(SELECT q.collection_id FROM annotation_opening o JOIN corpus_query q ON q.id = o.query_id "
    "WHERE o.id = {row}.opening_id)"
)
# A later version for the same round, or the same or a later one for the next round.
DOES_NOT_GO_ON = (
    "NOT EXISTS (SELECT 1 FROM annotation_opening o "
    "JOIN annotation_guideline g ON g.id = o.guideline_id "
    "JOIN annotation_guideline given ON given.facet_id = g.facet_id "
    "WHERE o.id = NEW.opening_id AND g.id = NEW.earlier_id AND given.id = NEW.guideline_id "
    "AND (NEW.round = o.round AND given.version > g.version "
    "OR NEW.round = o.round + 1 AND given.version >= g.version))"
)
PAIRS_OF_A_NEW_ROUND = (
    "SELECT p.id FROM annotation_pair p JOIN annotation_opening o ON o.query_id = p.query_id "
    "WHERE o.id = NEW.opening_id AND NEW.round > o.round"
)
OPENED = [
    reject("annotation_guideline_never_edited", table="annotation_guideline", event="UPDATE"),
    # Before that a facet can be deleted, and its guidelines with it.
    reject(
        "guideline_never_deleted_once_opened",
        table="annotation_guideline",
        event="DELETE",
        when=OPENED_COLLECTION.format(
            collection="(SELECT f.collection_id FROM corpus_facet f WHERE f.id = OLD.facet_id)"
        ),
    ),
    reject(
        "pair_never_edited",
        table="annotation_pair",
        event="UPDATE",
        columns="query_id, candidate_id, presentation_digest, spot_check_number",
        when=(
            f"{changed('query_id', 'candidate_id', 'spot_check_number')} "
            f"OR {changed('presentation_digest')} "
            "AND NOT EXISTS (SELECT 1 FROM annotation_guidelinechange c "
            "JOIN annotation_opening o ON o.id = c.opening_id WHERE o.query_id = NEW.query_id)"
        ),
    ),
    reject(
        "opening_never_edited",
        table="annotation_opening",
        event="UPDATE",
        columns="query_id, guideline_id, round",
        when=(
            f"{changed('query_id')} OR ({changed('guideline_id', 'round')}) "
            "AND NOT EXISTS (SELECT 1 FROM annotation_guidelinechange c "
            "WHERE c.opening_id = NEW.id AND c.guideline_id = NEW.guideline_id "
            "AND c.round = NEW.round)"
        ),
    ),
    # Judgments have their numbers.
    reject(
        "query_aspects_stay_once_opened",
        table="corpus_query",
        event="UPDATE",
        columns="aspect_names",
        when=f"{changed('aspect_names')} AND {OPENED_QUERY}",
    ),
    *kept_rows(
        "guideline_change",
        table="annotation_guidelinechange",
        collection=COLLECTION_OF_OPENING.format(row="OLD"),
    ),
    reject(
        "guideline_change_goes_on",
        table="annotation_guidelinechange",
        event="INSERT",
        when=DOES_NOT_GO_ON,
    ),
    keep(
        "mark_opening_with_its_guideline",
        table="annotation_guidelinechange",
        event="INSERT",
        statements=[
            # Before the opening, whose round says which judgments a slot may show.
            "UPDATE annotation_slot SET judgment_id = NULL, postponed_at = NULL "
            f"WHERE pair_id IN ({PAIRS_OF_A_NEW_ROUND}) "
            "AND (judgment_id IS NOT NULL OR postponed_at IS NOT NULL)",
            f"UPDATE annotation_pair SET referral_count = 0 WHERE id IN ({PAIRS_OF_A_NEW_ROUND}) "
            "AND referral_count > 0",
            "UPDATE annotation_opening SET guideline_id = NEW.guideline_id, round = NEW.round "
            "WHERE id = NEW.opening_id",
        ],
    ),
    reject(
        "query_stays_once_opened",
        table="corpus_query",
        event="UPDATE",
        columns="name, facet_id, query_paper_id",
        when=f"({changed('name', 'facet_id', 'query_paper_id')}) AND {OPENED_QUERY}",
    ),
    reject(
        "facet_stays_once_opened",
        table="corpus_facet",
        event="UPDATE",
        columns="key, labels",
        when=f"({changed('key', 'labels')}) AND {OPENED_FACET}",
    ),
    reject(
        "facet_never_added_once_opened",
        table="corpus_facet",
        event="INSERT",
        when=OPENED_COLLECTION.format(collection="NEW.collection_id"),
    ),
    reject(
        "facet_never_deleted_once_opened",
        table="corpus_facet",
        event="DELETE",
        when=OPENED_COLLECTION.format(collection="OLD.collection_id"),
    ),
    reject(
        "scale_stays_once_opened",
        table="accounts_collection",
        event="UPDATE",
        columns="highest_grade, relevant_from",
        when=(
            f"({changed('highest_grade', 'relevant_from')}) "
            f"AND {OPENED_COLLECTION.format(collection='NEW.id')}"
        ),
    ),
]
