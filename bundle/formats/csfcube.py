"""The parts of the files in which CSFCube was published: records in, text out. Pure.

`csfcube/tables.py` and `csfcube/readable_annotations.py` read what is written here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from bundle.records import PooledDocument, ReleasedDocument, ReleasedQuery

MISSING = -1  # a judgment without a grade, as CSFCube writes it
WORDS = ("Irrelevant", "Related", "Similar", "Identical")  # CSFCube's, of grades 0 to 3
NO_LABEL = "other"
BEFORE_QUERY = "=" * 70
BEFORE_CANDIDATE = "=" * 35
_JSON_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
QUERY_COLUMNS = ("pid", "facet", "year", "title", "paper type")


class RatedCandidate(NamedTuple):
    """A candidate with a final label, the two grades before it, and the candidate's sources."""

    docno: str
    first: int | None
    second: int | None
    final: int
    sources: Sequence[str]


@dataclass(frozen=True, slots=True)
class RatedQuery:
    """A query's rated candidates in the order of the pool. `annotators` number its two judges."""

    query: ReleasedQuery
    annotators: tuple[int, int]
    candidates: Sequence[RatedCandidate]

    @property
    def by_grade(self) -> list[RatedCandidate]:
        """The candidates, the highest final grade first, each grade in the order of the pool."""
        return sorted(self.candidates, key=lambda candidate: -candidate.final)


def sources_of(document: PooledDocument) -> list[str]:
    """The source that drew the document, then the others that have it, by name."""
    names = sorted({source.source for source in document.sources})
    return sorted(names, key=lambda name: name != document.drawn_by)


def annotations_entry(rated: RatedQuery) -> str:
    """The query's entry in `test-pid2anns-*.json`: lists with an item for each candidate."""
    first = [_number(candidate.first) for candidate in rated.candidates]
    second = [_number(candidate.second) for candidate in rated.candidates]
    number, other = rated.annotators
    return _entry(
        rated.query.query_paper,
        {
            "cands": [candidate.docno for candidate in rated.candidates],
            "relevance_max": [max(both) for both in zip(first, second, strict=True)],
            "relevance_min": [min(both) for both in zip(first, second, strict=True)],
            f"relevance_ann{number}": first,
            f"relevance_ann{other}": second,
            "relevance_adju": [candidate.final for candidate in rated.candidates],
        },
    )


def pool_entry(paper: str, documents: Sequence[PooledDocument]) -> str:
    """The query paper's entry in `test-pid2pool-*.json`, in the order of drawing."""
    return _entry(
        paper,
        {
            "cands": [document.docno for document in documents],
            "cand_source": [sources_of(document) for document in documents],
        },
    )


def _entry(paper: str, lists: Mapping[str, Any]) -> str:
    key = json.dumps(paper, ensure_ascii=False)
    return f"{key}: {json.dumps(lists, ensure_ascii=False)}"


def _number(grade: int | None) -> int:
    return MISSING if grade is None else grade


def query_rows(
    queries: Iterable[ReleasedQuery], *, with_titles: bool
) -> list[tuple[str, str, str, str, str]]:
    """The rows of `queries-release.csv`. Without texts, titles are empty."""
    return [
        (
            query.query_paper,
            query.facet,
            query.facts.year,
            query.title if with_titles else "",
            query.facts.paper_type,
        )
        for query in queries
    ]


def abstract_line(document: ReleasedDocument) -> str:
    """The document's line in `abstracts-*-preds.jsonl`."""
    line = {
        "paper_id": document.docno,
        "metadata": {
            "title": document.title,
            "authors": document.authors,
            "venue": document.venue,
            "year": document.year,
        },
        "title": document.title,
        "abstract": document.sentences,
        "pred_labels": [f"{label}_label" for label in _labels(document)],
    }
    return _JSON_LINE.encode(line) + "\n"


def _labels(document: ReleasedDocument) -> list[str]:
    pairs = zip_longest(document.sentences, document.labels[: len(document.sentences)])
    return [label or NO_LABEL for _, label in pairs]


# The files of `readable_annotations/`


def readable_document(document: ReleasedDocument) -> str:
    """The lines on a document: the first has its id and year, the others title and sentences."""
    labelled = zip(_labels(document), document.sentences, strict=True)
    sentences = "\n".join(f"{label}_label: {_line(sentence)}" for label, sentence in labelled)
    return (
        f"paper_id: {document.docno}; YEAR: {document.year}\n"
        f"TITLE: {_line(document.title)}\n"
        f"ABSTRACT: {sentences}\n"
    )


def _line(text: str) -> str:
    return re.sub(r"[\r\n]+", " ", text)


def readable_query(readable: str) -> str:
    return f"{BEFORE_QUERY}\n{readable}"


def readable_candidate(
    candidate: RatedCandidate, annotators: tuple[int, int], word: str, readable: str
) -> str:
    """The block of a candidate; `word` is the name of its final grade."""
    first, second = _number(candidate.first), _number(candidate.second)
    head, _, text = readable.partition("\n")
    sign = f"+{candidate.final}" if candidate.final else "0"
    return (
        f"{BEFORE_CANDIDATE}\n{head}\n"
        f"adju relevance: {_line(word)} ({sign})\n"
        f"difference: {abs(first - second)}; "
        f"annotator{annotators[0]}: {first}; annotator{annotators[1]}: {second}\n"
        f"sources: {' - '.join(candidate.sources)}\n"
        f"{text}\n"
    )
