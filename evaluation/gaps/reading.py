"""The labels and lists of a collection, as the bounds need them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Sequence
from statistics import median

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import Standing
from annotation.models import Judgment, Pair
from evaluation.gaps.computation.read_lists import ReadLists
from jobs.context import DirectRun, JobContext
from scoring.labels import qrels_of
from scoring.measures.judged_ranks import Qrels
from scoring.models import System
from scoring.systems.lists import system_lists

RECENT = 1_000  # judgments; the time of the first ones is not that of the next
FEWEST_TIMED = 20


def read_lists(
    collection: Collection,
    systems: Sequence[System],
    depth: int | None,
    *,
    work: JobContext | None = None,
) -> ReadLists:
    """The lists of these systems for all queries with a final label."""
    work = work or DirectRun()
    lists = empty_lists(collection, qrels_of(collection), depth)
    for done, system in enumerate(systems):
        work.progress(done, len(systems), "systems read")
        lists.read(system.name, system_lists(system))
    return lists


def empty_lists(
    collection: Collection, qrels: Qrels, depth: int | None, highest: int | None = None
) -> ReadLists:
    top = max(collection.grades) if highest is None else highest
    return ReadLists(qrels, top, depth, settled_documents(collection))


def settled_documents(collection: Collection) -> dict[str, Group[str]]:
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
    for pair in labelled_pairs(collection, without_grade):
        if pair.standing is Standing.SET_ASIDE:
            settled[pair.query].add(pair.docno)
    return dict(settled)


def query_papers(collection: Collection) -> dict[str, str]:
    """The query paper of each query, by names."""
    return dict(collection.queries.values_list("name", "query_paper__name"))


def seconds_a_judgment(collection: Collection) -> tuple[float, bool]:
    """The median of the last measured judgments, or else the planned time; and if it is measured."""
    seconds = list(
        Judgment.objects.filter(
            slot__pair__query__collection=collection, seconds__isnull=False
        )
        .order_by("-pk")
        .values_list("seconds", flat=True)[:RECENT]
    )
    if len(seconds) < FEWEST_TIMED:
        return collection.seconds_per_judgment, False
    return float(median(seconds)), True
