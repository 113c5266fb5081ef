"""Runs as files, in the form over which their digests are computed (docs/manifest.md)."""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from retrieval.formats import RankedList, Scored, write_run
from retrieval.models import Run

# The tag is the same in every file with a digest, so runs with the same lists have the same digest.
TAG = "run"
READ_TOGETHER = 20  # lists

RankedLists = Mapping[str, Sequence[Scored]]  # query paper's name to its ranked list
QueryNames = Mapping[str, Sequence[str]]  # query paper's name to the ids of its queries


def lists_digest(lists: RankedLists) -> str:
    """SHA-256 (hex) of the ranked lists as a run file."""
    digest = LinesDigest()
    digest.update(write_run(lists, tag=TAG))
    return digest.hexdigest()


class LinesDigest:
    """The SHA-256 of the lines of a file, updated with some of them at a time."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def update(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._digest.update(line.encode())

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def run_lines(run: Run, query_names: QueryNames | None = None) -> Iterator[str]:
    """Yield the lines of the run's file; their SHA-256 is `run.sha256`. Memory is constant.

    The topics are query papers, as in a pool, which all queries of a paper share. With
    `query_names` they are queries, as in qrels: the list of a paper comes once for each of them,
    and the tag is the run's name, by which other tools tell systems apart.
    """
    tag = TAG if query_names is None else tag_of(run.name)
    papers = run.rankings.values_list("query_paper__name", "pk")
    # Sorted here, because the order of a database depends on its collation.
    topics = iter(
        sorted(
            (topic, pk)
            for docno, pk in papers
            for topic in ([docno] if query_names is None else query_names.get(docno, ()))
        )
    )
    while batch := dict(islice(topics, READ_TOGETHER)):
        rows = run.rankings.filter(pk__in=batch.values()).values_list("pk", "docnos", "scores")
        lists = {pk: ranked_list(docnos, scores) for pk, docnos, scores in rows}
        yield from write_run({topic: lists[pk] for topic, pk in batch.items()}, tag=tag)


def tag_of(name: str) -> str:
    """The run's name as the last column of a run file, which has no white space."""
    return "-".join(name.split())


def query_names_of(run: Run) -> QueryNames:
    """The queries that the run's lists are for. A run with a facet is for those with the facet."""
    rows = run.collection.queries.values_list("query_paper__name", "name", "facet__key")
    return names_by_paper(rows, run.parameters.get("facet"))


def names_by_paper(rows: Iterable[tuple[str, str, str]], facet: str | None) -> QueryNames:
    """`rows` are (query paper's name, query's id, facet); with a `facet`, only those with it."""
    names: dict[str, list[str]] = defaultdict(list)
    for paper, name, key in rows:
        if facet is None or key == facet:
            names[paper].append(name)
    return names


def ranked_list(docnos: Sequence[str], scores: Sequence[float]) -> RankedList:
    """A stored list. PostgreSQL returns a score like 1e+22 as a whole number."""
    return RankedList(docnos, array("d", scores))
