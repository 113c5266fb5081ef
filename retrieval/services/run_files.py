"""Runs as files, in the form over which their digests are computed (docs/manifest.md)."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from retrieval.formats import RankedList, Scored, write_run
from retrieval.models import Run

# The tag is the same in every file, so runs with the same lists have the same digest.
TAG = "run"
READ_TOGETHER = 20  # lists

RankedLists = Mapping[str, Sequence[Scored]]  # query paper's docno to its ranked list


def lists_digest(lists: RankedLists) -> str:
    """SHA-256 (hex) of the ranked lists as a run file."""
    digest = hashlib.sha256()
    for line in write_run(lists, tag=TAG):
        digest.update(line.encode())
    return digest.hexdigest()


def run_lines(run: Run) -> Iterator[str]:
    """Yield the lines of the run's file; their SHA-256 is `run.sha256`. Memory is constant."""
    # Sorted here, because the order of a database depends on its collation.
    papers = iter(sorted(run.rankings.values_list("query_paper__document__docno", "pk")))
    while batch := dict(islice(papers, READ_TOGETHER)):
        rows = run.rankings.filter(pk__in=batch.values()).values_list("pk", "docnos", "scores")
        lists = {pk: ranked_list(docnos, scores) for pk, docnos, scores in rows}
        yield from write_run({docno: lists[pk] for docno, pk in batch.items()}, tag=TAG)


def ranked_list(docnos: Sequence[str], scores: Sequence[float]) -> RankedList:
    """A stored list. PostgreSQL returns a score like 1e+22 as a whole number."""
    return RankedList(docnos, array("d", scores))
