"""Export documents and queries for other programs, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from accounts.models import Collection
from corpus.models import SOURCES, Facet, QueryPaper, Topic

ROWS = 2_000  # read at a time
COLUMNS = (
    *("docno", "title", "sentences", "labels", "year"),
    *("authors", "venue", "references", "fields"),
)
REQUIRED = frozenset({"docno", "title", "sentences"})
FORMATS = ("jsonl", "tsv")


def document_lines(collection: Collection) -> Iterator[str]:
    """Every document as a line that the import reads, in the order of their import.

    An import of the lines gives the same documents. Empty values are left out.
    """
    documents = collection.documents.order_by("pk").values_list(*COLUMNS)
    for row in documents.iterator(chunk_size=ROWS):
        pairs = zip(COLUMNS, row, strict=True)
        yield _json({name: value for name, value in pairs if value or name in REQUIRED})


def query_lines(
    collection: Collection, *, facet: Facet | None = None, format_name: str = "jsonl"
) -> Iterator[str]:
    """The query papers that have text and queries, by name, for another search engine.

    With a facet: only the queries under it, with the query id, and the facet's sentences as
    abstract. A line of "tsv" is the id, a tab and the text: title and abstract, or only the
    facet's sentences. The text of a topic is its title and description. A run must use these ids.
    """
    queries = collection.queries.select_related(*SOURCES)
    if facet is not None:
        queries = queries.filter(facet=facet)
    papers = {query.query_paper: query.name for query in queries.order_by("name")}
    for paper in sorted(papers, key=lambda paper: paper.name):
        if paper.source.sentences:
            identifier = paper.name if facet is None else papers[paper]
            yield _query_line(paper, identifier, facet, format_name)


def _query_line(paper: QueryPaper, identifier: str, facet: Facet | None, format_name: str) -> str:
    source = paper.source
    if isinstance(source, Topic):
        title, text = source.title, source.description
        parts: tuple[str, ...] = (title, text)
    else:
        title = source.title
        text = source.abstract if facet is None else " ".join(source.sentences_of(facet))
        parts = (title, text) if facet is None else (text,)
    if format_name == "tsv":
        return f"{identifier}\t{' '.join(' '.join(parts).split())}"
    line = {"id": identifier, "title": title, "abstract": text}
    if isinstance(source, Topic) and source.narrative:
        line["narrative"] = source.narrative
    return _json(line if facet is None else {**line, "docno": paper.name, "facet": facet.key})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
