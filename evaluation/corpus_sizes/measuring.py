"""Indexing a sub-corpus, ranking its queries and scoring the lists. Pure, but for its folder.

The folder has the texts of the documents and the queries with their positives. The index is made
in it, too, so that its statistics are those of the sub-corpus.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from retrieval.interface import IndexedText, QueryText
from retrieval.retrievers.registry import retriever
from scoring.measures.judged_ranks import JudgedDocuments
from scoring.measures.names import parse_measures
from scoring.measures.scoring import ours

TEXTS, QUERIES = "texts.jsonl", "queries.jsonl"
DEPTH = 500
MEASURES = parse_measures("AP nDCG R@30")
QUERIES_TOGETHER = 20  # between two reports of progress

Report = Callable[[str, int], None]  # what was done, and how many


def write_queries(path: Path, queries: Iterable[tuple[str, str, str, list[str]]]) -> None:
    """Write (docno, title, abstract, positives) as lines of JSON."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(query) + "\n" for query in queries)


def measure(folder: Path, name: str, report: Report) -> dict[str, float]:
    """The mean of each measure over the queries, for the retriever of that name.

    Lists are ranked to DEPTH, and a query's positives are what it cites. Raises NothingToIndex.
    """
    by_name = retriever(name)
    index = folder / f"index-{name}"
    by_name.build(_texts(folder / TEXTS), index, lambda done: report("documents indexed", done))
    queries, positives = _queries(folder / QUERIES)
    judged = JudgedDocuments(positives)
    lists = by_name.open(index).rank(queries, DEPTH, _every(QUERIES_TOGETHER, report))
    ranks = judged.ranks_of(
        (docno, [scored.docno for scored in ranking]) for docno, ranking in lists
    )
    return {name: float(values.mean()) for name, values in ours(ranks, MEASURES).items()}


def _every(number: int, report: Report) -> Callable[[int], None]:
    def progress(done: int) -> None:
        if done % number == 0:
            report("queries ranked", done)

    return progress


def _texts(path: Path) -> Iterator[IndexedText]:
    return (IndexedText(*fields) for fields in _lines(path))


def _queries(path: Path) -> tuple[list[QueryText], dict[str, dict[str, int]]]:
    queries, positives = [], {}
    for docno, title, abstract, cited in _lines(path):
        queries.append(QueryText(docno, title, abstract))
        positives[docno] = dict.fromkeys(cited, 1)
    return queries, positives


def _lines(path: Path) -> Iterator[list[Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
