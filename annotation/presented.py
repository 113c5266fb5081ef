"""Which judged pairs show something else now than what was judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import F

from accounts.models import Collection
from annotation.models import Pair
from annotation.presentation import Presentation, ShownText, shown_text

READ_TOGETHER = 500  # pairs; their abstracts take about 1 MB


class _ShownQuery(NamedTuple):
    name: str
    facet: str
    labels: list[str]
    text: ShownText
    guideline_version: int


def pairs_shown_otherwise(collection: Collection) -> Iterator[tuple[str, str]]:
    """(query name, docno) of the judged pairs whose counting judgments are about something else.

    That is: a digest stored with one of the two judgments is not that of what the pair shows now.
    Two database queries, however many pairs there are; only the queries' own texts are in memory.
    """
    queries = _shown_queries(collection)
    pairs = (
        Pair.objects.of(collection)
        .judged()
        .order_by()
        .values_list(
            "query_id",
            "candidate__document__docno",
            "candidate__document__title",
            "candidate__document__sentences",
            "candidate__document__labels",
            F("slot_1__judgment__presentation_digest"),
            F("slot_2__judgment__presentation_digest"),
        )
    )
    for query_id, docno, title, sentences, labels, *judged in pairs.iterator(READ_TOGETHER):
        query = queries[query_id]
        shown = Presentation(
            query_name=query.name,
            facet=query.facet,
            query=query.text,
            docno=docno,
            candidate=shown_text(title, sentences, labels, query.labels),
            guideline_version=query.guideline_version,
        )
        if {*judged} != {shown.digest}:
            yield query.name, docno


def _shown_queries(collection: Collection) -> dict[int, _ShownQuery]:
    """The opened queries by primary key, as every one of their pairs shows them."""
    rows = collection.queries.filter(opening__isnull=False).values_list(
        "pk",
        "name",
        "facet__key",
        "facet__labels",
        "query_paper__document__title",
        "query_paper__document__sentences",
        "query_paper__document__labels",
        "opening__guideline__version",
    )
    return {
        pk: _ShownQuery(name, facet, marked, shown_text(title, sentences, labels, marked), version)
        for pk, name, facet, marked, title, sentences, labels, version in rows
    }
