"""The judgments whose digest differs from that of what their pair shows now.

Each digest is derived from the stored texts again, and not read from the pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet

from accounts.models import Collection
from annotation.models import Judgment, Pair, PairQuerySet
from annotation.presentation import Presentation, ShownText, shown_text
from annotation.services import shown_query
from corpus.models import SOURCES

READ_TOGETHER = 500  # documents; their abstracts take about 1 MB
COLUMNS: tuple[str | F, ...] = (
    "candidate__document",
    "query",
    *(
        F(f"slot_{number}__judgment__{column}")
        for number in (1, 2)
        for column in ("presentation_digest", "guideline_version")
    ),
)


class _ShownQuery(NamedTuple):
    name: str
    facet: str
    labels: list[str]
    text: ShownText


class DigestedPair:
    """A pair with the digests of what it shows now, by the version of the guideline."""

    def __init__(self, query: _ShownQuery, docno: str, candidate: ShownText) -> None:
        self._query, self._docno, self._candidate = query, docno, candidate
        self._digests: dict[int, str] = {}

    @property
    def name(self) -> tuple[str, str, str]:
        """The names of query, facet and document."""
        return self._query.name, self._query.facet, self._docno

    def digest(self, guideline_version: int) -> str:
        if guideline_version not in self._digests:
            presentation = Presentation(
                query_name=self._query.name,
                facet=self._query.facet,
                query=self._query.text,
                docno=self._docno,
                candidate=self._candidate,
                guideline_version=guideline_version,
            )
            self._digests[guideline_version] = presentation.digest
        return self._digests[guideline_version]


class CheckedJudgment(NamedTuple):
    """A judgment of a pair, and whether it has the digest of what the pair shows by its guideline.

    `is_earlier` is true for one that another judgment superseded, or of a pair that was opened for
    two judges again.
    """

    pk: int
    pair: DigestedPair
    slot: int
    is_earlier: bool
    is_same: bool


# Rows about the pairs of some documents. Each begins with the keys of its document and its query.
RowsOf = Callable[[list[int]], "QuerySet[Any, tuple[Any, ...]]"]


def pairs_shown_otherwise(
    collection: Collection, among: PairQuerySet | None = None
) -> Iterator[tuple[str, str]]:
    """(query name, docno) of the judged pairs whose text changed after a judgment.

    The digest stored with one of the two judgments then differs from the digest of the pair now.
    `among` limits it to some of the collection's pairs.
    """
    pairs = Pair.objects.all() if among is None else among

    def judged(documents: list[int]) -> QuerySet[Any, tuple[Any, ...]]:
        found = pairs.judged().filter(candidate__document__in=documents)
        return found.order_by().values_list(*COLUMNS)

    for pair, (first, version, second, other) in _digested_pairs(collection, among, judged):
        if (first, second) != (pair.digest(version), pair.digest(other)):
            query, _, docno = pair.name
            yield query, docno


def checked_judgments(collection: Collection) -> Iterator[CheckedJudgment]:
    """Every judgment of the collection, the superseded ones too, in no certain order."""

    def judgments(documents: list[int]) -> QuerySet[Any, tuple[Any, ...]]:
        found = Judgment.objects.filter(slot__pair__candidate__document__in=documents)
        return found.order_by().values_list(
            *("slot__pair__candidate__document", "slot__pair__query", "pk", "slot__number"),
            *("slot__judgment", "presentation_digest", "guideline_version"),
        )

    for pair, (pk, slot, current, *shown) in _digested_pairs(collection, None, judgments):
        digest, version = shown
        is_same = digest == pair.digest(version)
        yield CheckedJudgment(pk, pair, slot, current != pk, is_same)


def _digested_pairs(
    collection: Collection, among: PairQuerySet | None, rows_of: RowsOf
) -> Iterator[tuple[DigestedPair, list[Any]]]:
    """The rest of each row with its pair.

    The pairs are read by their candidates, each of which is in many pools, so a text is read and
    marked once. Only the queries' own texts stay in memory.
    """
    documents = collection.documents.order_by("pk")
    if among is None:
        # The documents are the collection's. Asked for its queries too, SQLite begins with them.
        among = Pair.objects.all()
        documents = documents.filter(Exists(among.filter(candidate__document=OuterRef("pk"))))
    else:
        # These are few, so their documents are found first: all documents take 0.5 s to look at.
        documents = documents.filter(pk__in=among.order_by().values("candidate__document"))
    queries = _shown_queries(collection, among)
    rows = documents.values_list("pk", "docno", "title", "sentences", "labels")
    texts = rows.iterator(READ_TOGETHER)
    while some := {pk: text for pk, *text in islice(texts, READ_TOGETHER)}:
        shown: dict[tuple[int, str], ShownText] = {}
        last, pair = None, None
        for document, query_id, *values in rows_of(list(some)).iterator():
            # The rows of a pair mostly come one after the other, so its digest is derived once.
            if pair is None or last != (document, query_id):
                query, (docno, title, sentences, labels) = queries[query_id], some[document]
                key = document, query.facet
                if key not in shown:
                    shown[key] = shown_text(title, sentences, labels, query.labels)
                last, pair = (document, query_id), DigestedPair(query, docno, shown[key])
            yield pair, values


def _shown_queries(collection: Collection, pairs: PairQuerySet) -> dict[int, _ShownQuery]:
    """The opened queries of these pairs by primary key, as every one of their pairs shows them."""
    has_pairs = Exists(pairs.filter(query=OuterRef("pk")).order_by())
    queries = (
        collection.queries.filter(has_pairs, opening__isnull=False)
        .select_related("facet", *SOURCES)
        .order_by()
    )
    return {
        query.pk: _ShownQuery(
            query.name,
            query.facet.key,
            query.facet.labels,
            shown_query(query),
        )
        for query in queries.iterator(READ_TOGETHER)
    }
