"""The state of a corpus: its digest, its documents and its query papers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.models import Collection
from corpus.digests import canonical_json
from corpus.models import QueryPaper
from corpus.services import CorpusError

ROWS = 2_000  # per read
LOOKUP = 500  # per query; well below SQLite's smallest limit on parameters
DIGEST_BYTES = 32


class CorpusChanged(CorpusError):
    """The documents changed during a job that depends on them."""

    def __init__(self, activity: str) -> None:
        super().__init__(
            f"The documents changed while {activity}, so nothing was saved. Start it again when "
            "no import is running."
        )


class CorpusDocument(NamedTuple):
    """A document of the corpus: its primary key and whether it has text."""

    pk: int
    has_text: bool


def corpus_digest(collection: Collection) -> str:
    """SHA-256 (hex) of everything that rankings and pools depend on, in any order of rows.

    First each document's docno, text digest, year, fields and references are digested, then the
    sorted digests. Sorting 32 bytes per document needs little memory. Sorting by docno in the
    database would depend on its collation. A sum of digests needs no sorting, but sums can be
    forged (Wagner, 2002). Topics are not documents, so they are not part of it.
    """
    papers = collection.documents.order_by()
    rows = papers.values_list("docno", "digest", "year", "fields", "references")
    digests = bytearray()
    for row in rows.iterator(chunk_size=ROWS):
        digests += hashlib.sha256(canonical_json(row)).digest()
    # As numbers, because numpy drops zero bytes at the end of a string as padding.
    words = np.frombuffer(digests, ">u8").reshape(-1, DIGEST_BYTES // 8)
    return hashlib.sha256(words[np.lexsort(words.T[::-1])].tobytes()).hexdigest()


def check_unchanged(collection: Collection, digest: str, activity: str) -> None:
    """Raises CorpusChanged when the digest of the corpus is no longer `digest`."""
    if corpus_digest(collection) != digest:
        raise CorpusChanged(activity)


def corpus_documents(collection: Collection, docnos: Iterable[str]) -> dict[str, CorpusDocument]:
    """The documents of the corpus with these docnos."""
    remaining_docnos = iter(sorted(set(docnos)))
    has_text = ExpressionWrapper(~Q(sentences=[]), BooleanField())
    documents = collection.documents.order_by().annotate(has_text=has_text)
    by_docno: dict[str, CorpusDocument] = {}
    while batch := list(islice(remaining_docnos, LOOKUP)):
        rows = documents.filter(docno__in=batch).values_list("docno", "pk", "has_text")
        by_docno |= {docno: CorpusDocument(pk, has_text) for docno, pk, has_text in rows}
    return by_docno


def corpus_docnos(collection: Collection, docnos: Iterable[str]) -> set[str]:
    return set(corpus_documents(collection, docnos))


def papers_with_queries(collection: Collection) -> list[QueryPaper]:
    """The query papers that have queries, with their texts, by name."""
    papers = collection.query_papers.filter(queries__isnull=False).distinct()
    papers = papers.select_related("document", "topic")
    return sorted(papers, key=lambda paper: paper.name)


def in_batches(papers: Iterable[QueryPaper], size: int) -> Iterator[list[QueryPaper]]:
    stream = iter(papers)
    while batch := list(islice(stream, size)):
        yield batch
