"""The judged pairs whose text changed after they were judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef

from accounts.models import Collection
from annotation.models import Pair, PairQuerySet
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


def pairs_shown_otherwise(
    collection: Collection, among: PairQuerySet | None = None
) -> Iterator[tuple[str, str]]:
    """(query name, docno) of the judged pairs whose text changed after a judgment.

    The digest stored with one of the two judgments then differs from the digest of the pair now.
    The pairs are read by their candidates, each of which is in many pools, so a text is read and
    marked once. Only the queries' own texts stay in memory. `among` limits it to some of the
    collection's pairs.
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
        pairs = among.judged().filter(candidate__document__in=some).order_by().values_list(*COLUMNS)
        for document, query_id, *judgments in pairs.iterator():
            query, (docno, title, sentences, labels) = queries[query_id], some[document]
            if (document, query.facet) not in shown:
                shown[document, query.facet] = shown_text(title, sentences, labels, query.labels)
            for digest, guideline_version in {(*judgments[:2],), (*judgments[2:],)}:
                presentation = Presentation(
                    query_name=query.name,
                    facet=query.facet,
                    query=query.text,
                    docno=docno,
                    candidate=shown[document, query.facet],
                    guideline_version=guideline_version,
                )
                if presentation.digest != digest:
                    yield query.name, docno
                    break


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
