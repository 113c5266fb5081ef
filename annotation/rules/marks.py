"""Triggers that mark pairs, so that the gate of a release finds every changed text.

The rules keep the docno, facet, query, query paper and topic of a pair as they are once its query
is open. The mark shows what was changed past them. Another guideline is no change of text.
"""

from __future__ import annotations

from collections.abc import Sequence

from database.triggers import Rule, changed, keep
from pooling.rules import OTHER_SOURCE

MARK = "UPDATE annotation_pair SET text_changed = TRUE WHERE NOT text_changed AND "
OF_CANDIDATE = "candidate_id IN (SELECT c.id FROM pooling_candidate c WHERE c.document_id = NEW.id)"
OF_QUERIES = "query_id IN (SELECT q.id FROM corpus_query q WHERE {condition})"
OF_QUERY_PAPER = (
    "query_id IN (SELECT q.id FROM corpus_query q JOIN corpus_querypaper {alias} "
    "ON {alias}.id = q.query_paper_id WHERE {alias}.{column} = NEW.id)"
)


def mark(name: str, *, table: str, columns: Sequence[str], pairs: Sequence[str]) -> Rule:
    """Mark `pairs` (SQL over NEW) when one of the columns changes."""
    return keep(
        f"mark_pairs_of_a_changed_{name}",
        table=table,
        event="UPDATE",
        columns=", ".join(columns),
        when=changed(*columns),
        statements=[MARK + condition for condition in pairs],
    )


MARKS = [
    mark(
        "text",
        table="corpus_document",
        columns=("title", "sentences", "labels"),
        pairs=[OF_CANDIDATE, OF_QUERY_PAPER.format(alias="qp", column="document_id")],
    ),
    mark("docno", table="corpus_document", columns=["docno"], pairs=[OF_CANDIDATE]),
    mark(
        "facet",
        table="corpus_facet",
        columns=("key", "labels"),
        pairs=[OF_QUERIES.format(condition="q.facet_id = NEW.id")],
    ),
    mark(
        "query",
        table="corpus_query",
        columns=("name", "facet_id", "query_paper_id"),
        pairs=["query_id = NEW.id"],
    ),
    keep(
        "mark_pairs_of_a_changed_query_paper",
        table="corpus_querypaper",
        event="UPDATE",
        columns="document_id, topic_id",
        when=OTHER_SOURCE,
        statements=[MARK + OF_QUERIES.format(condition="q.query_paper_id = NEW.id")],
    ),
    mark(
        "topic",
        table="corpus_topic",
        columns=("title", "sentences", "narrative", "narrative_is_shown"),
        pairs=[OF_QUERY_PAPER.format(alias="p", column="topic_id")],
    ),
    # A judgment that is not about what the pair showed when its query opened.
    keep(
        "mark_pair_judged_of_another_text",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id",
        statements=[
            f"{MARK}id = NEW.pair_id AND presentation_digest <> "
            "(SELECT j.presentation_digest FROM annotation_judgment j "
            "WHERE j.id = NEW.judgment_id)"
        ],
    ),
]
