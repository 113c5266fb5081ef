"""Documents and queries for other programs, a line at a time."""

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
NEEDED = frozenset({"docno", "title", "sentences"})
FORMATS = ("jsonl", "tsv")


def document_lines(collection: Collection) -> Iterator[str]:
    """Every document as a line that the import reads, in the order in which they came in.

    Importing the lines elsewhere gives the same documents. What a document has not is left out.
    Topics are no documents.
    """
    documents = collection.documents.papers().order_by("pk").values_list(*COLUMNS)
    for row in documents.iterator(chunk_size=ROWS):
        pairs = zip(COLUMNS, row, strict=True)
        yield _json({name: value for name, value in pairs if value or name in NEEDED})


def query_lines(
    collection: Collection, *, facet: Facet | None = None, format_name: str = "jsonl"
) -> Iterator[str]:
    """The query papers that have text and queries, by docno: what another engine is to be asked.

    With a facet, only the queries under it, by their own ids, with the facet's sentences as
    abstract. A line of "tsv" is the id, a tab and the text: title and abstract, or only the
    facet's sentences. Runs go by these ids.
    """
    queries = collection.queries.select_related("query_paper__document")
    if facet is not None:
        queries = queries.filter(facet=facet)
    papers = {query.query_paper.document: query.name for query in queries.order_by("name")}
    for document in sorted(papers, key=lambda one: one.docno):
        if document.sentences:
            identifier = document.docno if facet is None else papers[document]
            yield _query_line(document, identifier, facet, format_name)


def _query_line(document: Document, identifier: str, facet: Facet | None, format_name: str) -> str:
    said = document.abstract if facet is None else " ".join(document.sentences_of(facet))
    if format_name == "tsv":
        parts = (said,) if facet is not None else (document.title, said)
        return f"{identifier}\t{' '.join(' '.join(parts).split())}"
    line = {"id": identifier, "title": document.title, "abstract": said}
    return _json(line if facet is None else {**line, "docno": document.docno, "facet": facet.key})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
