"""What pooling reads of a corpus: which state it is in, and which documents are there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.models import Collection
from corpus.models import QueryPaper
from corpus.texts import canonical_json
from pooling.services.errors import PoolingError

ROWS = 2_000  # read at a time
LOOKUP = 500  # looked up at a time; well below SQLite's smallest limit on parameters
DIGEST_BYTES = 32


class CorpusChanged(PoolingError):
    """The documents are not those any more that a long piece of work began with."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The documents changed while {what}, so nothing of it was kept. Start it again when "
            "no import is running."
        )


class Known(NamedTuple):
    """A document of the corpus: its primary key and whether it has text."""

    pk: int
    has_text: bool


def corpus_digest(collection: Collection) -> str:
    """SHA-256 (hex) of all that rankings and pools follow from, the same in any order of rows.

    Each document's docno, text digest, year, fields and references are digested, and then these
    digests, sorted. Sorting 32 bytes a document instead of the documents keeps memory small, and
    the database from sorting by docno, which every PostgreSQL does by a collation of its own.
    Adding the digests up would need no sorting at all, but sums can be forged (Wagner, 2002).
    Topics are left out: they are asked about and never found, and their text never changes.
    """
    papers = collection.documents.papers().order_by()
    rows = papers.values_list("docno", "digest", "year", "fields", "references")
    digests = bytearray()
    for row in rows.iterator(chunk_size=ROWS):
        digests += hashlib.sha256(canonical_json(row)).digest()
    # As numbers, because numpy takes zero bytes at the end of a string for padding.
    words = np.frombuffer(digests, ">u8").reshape(-1, DIGEST_BYTES // 8)
    return hashlib.sha256(words[np.lexsort(words.T[::-1])].tobytes()).hexdigest()


def check_unchanged(collection: Collection, digest: str, what: str) -> None:
    """Raises CorpusChanged when the corpus has another digest than `digest` by now."""
    if corpus_digest(collection) != digest:
        raise CorpusChanged(what)


def known_documents(collection: Collection, docnos: Iterable[str]) -> dict[str, Known]:
    """Those of the docnos that the corpus has; topics are never found, so they are not known."""
    wanted = iter(sorted(set(docnos)))
    has_text = ExpressionWrapper(~Q(sentences=[]), BooleanField())
    documents = collection.documents.papers().order_by().annotate(has_text=has_text)
    known: dict[str, Known] = {}
    while some := list(islice(wanted, LOOKUP)):
        rows = documents.filter(docno__in=some).values_list("docno", "pk", "has_text")
        known |= {docno: Known(pk, has_text) for docno, pk, has_text in rows}
    return known


def known_docnos(collection: Collection, docnos: Iterable[str]) -> set[str]:
    return set(known_documents(collection, docnos))


def papers_of(collection: Collection) -> list[QueryPaper]:
    """The query papers that have queries, with their documents, by docno."""
    papers = collection.query_papers.filter(queries__isnull=False).distinct()
    papers = papers.select_related("document")
    return sorted(papers, key=lambda paper: paper.document.docno)


def in_batches(papers: Iterable[QueryPaper], size: int) -> Iterator[list[QueryPaper]]:
    stream = iter(papers)
    while batch := list(islice(stream, size)):
        yield batch
