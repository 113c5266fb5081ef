"""A run as a file, in the one form that its digest is taken of (docs/manifest.md)."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from pooling.formats import RankedList, Scored, write_run
from pooling.models import Run

# The same in every file: two runs with the same lists have the same digest, whatever their names.
TAG = "run"
READ_TOGETHER = 20  # lists

Lists = Mapping[str, Sequence[Scored]]  # query paper's docno to its ranked list


def lists_digest(lists: Lists) -> str:
    """SHA-256 (hex) of ranked lists written as a run file."""
    digest = hashlib.sha256()
    for line in write_run(lists, tag=TAG):
        digest.update(line.encode())
    return digest.hexdigest()


def run_lines(run: Run) -> Iterator[str]:
    """The lines of the run's file, whose SHA-256 is `run.sha256`. A few lists are in memory."""
    # Sorted here, because a database sorts docnos by a collation of its own.
    papers = iter(sorted(run.rankings.values_list("query_paper__document__docno", "pk")))
    while some := dict(islice(papers, READ_TOGETHER)):
        rows = run.rankings.filter(pk__in=some.values()).values_list("pk", "docnos", "scores")
        lists = {pk: ranked_list(docnos, scores) for pk, docnos, scores in rows}
        yield from write_run({docno: lists[pk] for docno, pk in some.items()}, tag=TAG)


def ranked_list(docnos: Sequence[str], scores: Sequence[float]) -> RankedList:
    """A stored list. PostgreSQL returns a score like 1e+22 as a whole number."""
    return RankedList(docnos, array("d", scores))
