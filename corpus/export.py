"""Export documents and queries for other programs, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from accounts.models import Collection
from corpus.models import Document, Facet

ROWS = 2_000  # read at a time
COLUMNS = (
    *("docno", "title", "sentences", "labels", "year"),
    *("authors", "venue", "references", "fields"),
)
REQUIRED = frozenset({"docno", "title", "sentences"})
FORMATS = ("jsonl", "tsv")


def document_lines(collection: Collection) -> Iterator[str]:
    """Every document as a line that the import reads, in the order of their import.

    An import of the lines gives the same documents. Empty values and topics are left out.
    """
    documents = collection.documents.papers().order_by("pk").values_list(*COLUMNS)
    for row in documents.iterator(chunk_size=ROWS):
        pairs = zip(COLUMNS, row, strict=True)
        yield _json({name: value for name, value in pairs if value or name in REQUIRED})


def query_lines(
    collection: Collection, *, facet: Facet | None = None, format_name: str = "jsonl"
) -> Iterator[str]:
    """The query papers that have text and queries, by docno, for another search engine.

    With a facet: only the queries under it, with the query id, and the facet's sentences as
    abstract. A line of "tsv" is the id, a tab and the text: title and abstract, or only the
    facet's sentences. A run must use these ids.
    """
    queries = collection.queries.select_related("query_paper__document")
    if facet is not None:
        queries = queries.filter(facet=facet)
    papers = {query.query_paper.document: query.name for query in queries.order_by("name")}
    for document in sorted(papers, key=lambda document: document.docno):
        if document.sentences:
            identifier = document.docno if facet is None else papers[document]
            yield _query_line(document, identifier, facet, format_name)


def _query_line(document: Document, identifier: str, facet: Facet | None, format_name: str) -> str:
    text = document.abstract if facet is None else " ".join(document.sentences_of(facet))
    if format_name == "tsv":
        parts = (text,) if facet is not None else (document.title, text)
        return f"{identifier}\t{' '.join(' '.join(parts).split())}"
    line = {"id": identifier, "title": document.title, "abstract": text}
    return _json(line if facet is None else {**line, "docno": document.docno, "facet": facet.key})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
