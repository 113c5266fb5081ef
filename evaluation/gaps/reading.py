"""The labels and lists of a collection, as the bounds need them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Sequence

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import Standing
from annotation.models import Pair
from evaluation.gaps.computation.read_lists import ReadLists
from jobs.context import DirectRun, JobContext
from scoring.labels import FINAL, all_qrels
from scoring.models import System
from scoring.systems.lists import system_lists


def read_lists(
    collection: Collection,
    systems: Sequence[System],
    gaps_of: Group[str],
    depth: int | None,
    *,
    queries: Group[str] | None = None,
    work: JobContext | None = None,
) -> ReadLists:
    """The lists of these systems, for all queries with a final label or some of them.

    `gaps_of` are the names of those whose gaps are opened.
    """
    work = work or DirectRun()
    qrels = all_qrels(collection, [FINAL], queries)[FINAL]
    lists = ReadLists(qrels, max(collection.grades), depth, settled_documents(collection, queries))
    opened = [system for system in systems if system.name in gaps_of]
    total = len(opened) + len(systems)
    for done, system in enumerate(opened):
        work.progress(done, total, "systems read")
        lists.open_gap(system_lists(system, queries))
    for done, system in enumerate(systems, start=len(opened)):
        work.progress(done, total, "systems read")
        lists.read(system.name, system_lists(system, queries))
    return lists


def settled_documents(
    collection: Collection, queries: Group[str] | None = None
) -> dict[str, Group[str]]:
    """By query: the documents that cannot get a label.

    The decision on them is that they cannot be judged, or they are the query paper itself, which
    counts in no score.
    """
    settled: dict[str, set[str]] = defaultdict(set)
    for name, docno in collection.queries.filter(query_paper__document__isnull=False).values_list(
        "name", "query_paper__document__docno"
    ):
        settled[name].add(docno)
    without_grade = Pair.objects.filter(decisions__grade=None, decisions__isnull=False).distinct()
    if queries is not None:
        without_grade = without_grade.filter(query__name__in=queries)
    for pair in labelled_pairs(collection, without_grade):
        if pair.standing is Standing.SET_ASIDE:
            settled[pair.query].add(pair.docno)
    return dict(settled)


def query_papers(collection: Collection) -> dict[str, str]:
    """The query paper of each query, by names."""
    return dict(collection.queries.values_list("name", "query_paper__name"))
