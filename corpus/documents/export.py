"""Export documents and queries for other programs, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from accounts.models import Collection
from corpus.models import SOURCES, Facet, Query, Topic
from corpus.text.sentence_numbers import WHOLE

ROWS = 2_000  # read at a time
COLUMNS = (
    *("docno", "title", "sentences", "labels", "year"),
    *("authors", "venue", "references", "fields"),
)
REQUIRED = frozenset({"docno", "title", "sentences"})
FORMATS = ("jsonl", "tsv")
_JSON = json.JSONEncoder(ensure_ascii=False)


def document_lines(collection: Collection) -> Iterator[str]:
    """Every document as a line that the import reads, in the order of their import.

    An import of the lines gives the same documents. Empty values are left out.
    """
    documents = collection.documents.order_by("pk").values_list(*COLUMNS)
    for row in documents.iterator(chunk_size=ROWS):
        yield document_line(dict(zip(COLUMNS, row, strict=True)))


def document_line(document: Mapping[str, Any]) -> str:
    """A document, given by its columns, as a line that the import reads."""
    pairs = ((name, document[name]) for name in COLUMNS)
    return _JSON.encode({name: value for name, value in pairs if value or name in REQUIRED})


def query_lines(
    collection: Collection,
    *,
    facet: Facet | None = None,
    name: str = "",
    format_name: str = "jsonl",
) -> Iterator[str]:
    """The query papers that have text and queries, by name, for another search engine.

    With a facet: the queries under it, each with its id, and its sentences as abstract. They are
    the facet's, or those of a query by sentences. With a name: the queries by sentences whose ids
    end in it, or with WHOLE those that are not by sentences, so that a paper has one query under a
    facet. A line of "tsv" is the id, a tab and the text: title and abstract, or only the sentences.
    The text of a topic is its title and description. A run must use these ids.
    """
    queries = collection.queries.select_related("facet", *SOURCES).order_by("name")
    if facet is None and not name:
        papers = {query.query_paper: query for query in queries}
        lines = ((paper.name, query) for paper, query in papers.items())
    else:
        found = queries.filter(facet=facet) if facet else queries
        lines = ((query.name, query) for query in found if not name or _has_name(query, name))
    for identifier, query in sorted(lines, key=lambda line: (line[1].query_paper.name, line[0])):
        if query.query_paper.source.sentences:
            is_paper = facet is None and not name
            yield _query_line(query, identifier, format_name, is_paper=is_paper)


def _has_name(query: Query, name: str) -> bool:
    if name == WHOLE or not query.is_by_sentences:
        return name == WHOLE and not query.is_by_sentences
    return query.name == query.facet.query_name(query.query_paper.name, name)


def _query_line(query: Query, identifier: str, format_name: str, *, is_paper: bool) -> str:
    source = query.query_paper.source
    if isinstance(source, Topic):
        title, text = source.title, source.description
        parts: tuple[str, ...] = (title, text)
    else:
        title = source.title
        text = source.abstract if is_paper else " ".join(query.text_to_compare)
        parts = (title, text) if is_paper else (text,)
    if format_name == "tsv":
        return f"{identifier}\t{' '.join(' '.join(parts).split())}"
    line: dict[str, object] = {"id": identifier, "title": title, "abstract": text}
    if isinstance(source, Topic) and source.narrative:
        line["narrative"] = source.narrative
    if not is_paper:
        line |= {"docno": query.query_paper.name, "facet": query.facet.key}
        if query.is_by_sentences:
            line["sentences"] = query.sentence_numbers
    return _JSON.encode(line)
