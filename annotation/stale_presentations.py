"""The judged pairs whose text changed after they were judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef

from accounts.models import Collection
from annotation.models import Pair, PairQuerySet
from annotation.presentation import Presentation, ShownText, shown_text
from annotation.services import shown_query
from corpus.models import SOURCES

READ_TOGETHER = 500  # pairs; their abstracts take about 1 MB


class _ShownQuery(NamedTuple):
    name: str
    facet: str
    labels: list[str]
    text: ShownText
    guideline_version: int


def pairs_shown_otherwise(
    collection: Collection, among: PairQuerySet | None = None
) -> Iterator[tuple[str, str]]:
    """(query name, docno) of the judged pairs whose text changed after a judgment.

    The digest stored with one of the two judgments then differs from the digest of the pair now.
    It takes two database queries for any number of pairs, and keeps only the queries' own texts.
    `among` limits it to some of the collection's pairs.
    """
    among = Pair.objects.of(collection) if among is None else among.of(collection)
    queries = _shown_queries(collection, among)
    pairs = (
        among.judged()
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
        presentation = Presentation(
            query_name=query.name,
            facet=query.facet,
            query=query.text,
            docno=docno,
            candidate=shown_text(title, sentences, labels, query.labels),
            guideline_version=query.guideline_version,
        )
        if {*judged} != {presentation.digest}:
            yield query.name, docno


def _shown_queries(collection: Collection, pairs: PairQuerySet) -> dict[int, _ShownQuery]:
    """The opened queries of these pairs by primary key, as every one of their pairs shows them."""
    has_pairs = Exists(pairs.filter(query=OuterRef("pk")).order_by())
    queries = (
        collection.queries.filter(has_pairs, opening__isnull=False)
        .select_related("facet", "opening__guideline", *SOURCES)
        .order_by()
    )
    return {
        query.pk: _ShownQuery(
            query.name,
            query.facet.key,
            query.facet.labels,
            shown_query(query),
            query.opening.guideline.version,
        )
        for query in queries.iterator(READ_TOGETHER)
    }
