"""Rules about judgments, their slots, and all that stays once a query is open."""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from database.triggers import changed, reject

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
        columns="query_id, candidate_id, presentation_digest",
        when=changed("query_id", "candidate_id", "presentation_digest"),
    ),
    reject(
        "opening_never_edited",
        table="annotation_opening",
        event="UPDATE",
        columns="query_id, guideline_id",
        when=changed("query_id", "guideline_id"),
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
