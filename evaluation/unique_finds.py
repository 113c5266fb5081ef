"""The relevant documents that one system ranks high and no other: a stored report of all systems.

A system that ranks labelled documents only, such as a baseline, finds nothing by itself. It has no
finds, and takes none from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from accounts.models import Collection
from jobs.context import JobContext
from reports.kinds import ReportContent
from reports.models import StoredReport
from reports.services import register
from scoring.labels import qrels_of
from scoring.measures.judged_ranks import Qrels
from scoring.models import System, SystemKind
from scoring.report_kind import SystemsReport
from scoring.systems.lists import system_lists

DEPTH = 100
MOST_STORED = 50  # documents of a system

QueryLists = Iterable[tuple[str, Sequence[str]]]  # (query, docnos best first)


class UniqueFind(NamedTuple):
    query: str
    docno: str
    grade: int
    rank: int


class RelevantRank(NamedTuple):
    """A relevant document in the first DEPTH documents of a system's list."""

    query: str
    docno: str
    rank: int


@dataclass(frozen=True)
class SystemFinds:
    """The relevant documents among the first DEPTH of a system's lists.

    `finds` are the first of those that no other system has there: highest grade first, then by
    rank.
    """

    relevant: int
    unique: int
    finds: Sequence[UniqueFind]


def ranked_relevant(lists: QueryLists, qrels: Qrels, relevant_from: int) -> list[RelevantRank]:
    """Empty if the lists have labelled documents only, because such a system found none."""
    found: list[RelevantRank] = []
    is_search = False
    for query, docnos in lists:
        grades = qrels.get(query)
        if not grades:
            continue
        is_search = is_search or any(docno not in grades for docno in docnos)
        found += [
            RelevantRank(query, docno, rank)
            for rank, docno in enumerate(docnos[:DEPTH], start=1)
            if grades.get(docno, -1) >= relevant_from
        ]
    return found if is_search else []


def unique_finds(
    found: Mapping[str, Sequence[RelevantRank]], qrels: Qrels
) -> dict[str, SystemFinds]:
    """The finds of each system, from the relevant documents that each ranks high."""
    finders: dict[tuple[str, str], int] = {}
    for ranks in found.values():
        for query, docno, _ in ranks:
            finders[query, docno] = finders.get((query, docno), 0) + 1
    return {system: _finds(ranks, finders, qrels) for system, ranks in found.items()}


def _finds(
    ranks: Sequence[RelevantRank], finders: Mapping[tuple[str, str], int], qrels: Qrels
) -> SystemFinds:
    alone = [
        UniqueFind(query, docno, qrels[query][docno], rank)
        for query, docno, rank in ranks
        if finders[query, docno] == 1
    ]
    alone.sort(key=lambda find: (-find.grade, find.rank, find.query, find.docno))
    return SystemFinds(len(ranks), len(alone), alone[:MOST_STORED])


@register
@dataclass(frozen=True)
class UniqueFindsReport(SystemsReport):
    """Its payload has the finds of each system, and the number of relevant pairs."""

    name = "unique_finds"
    title = "Find what only one system found"
    page = "leaderboard"
    version = 1

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        qrels, least = qrels_of(collection), collection.relevant_from
        systems = list(collection.systems.exclude(kind=SystemKind.BASELINE).order_by("name"))
        found = {
            system.name: ranks
            for system in _reporting(systems, work)
            if (ranks := ranked_relevant(system_lists(system), qrels, least))
        }
        finds = unique_finds(found, qrels)
        return ReportContent(
            {
                "relevant": sum(
                    grade >= least for grades in qrels.values() for grade in grades.values()
                ),
                "systems": {
                    name: {
                        "relevant": of_system.relevant,
                        "unique": of_system.unique,
                        "finds": [list(find) for find in of_system.finds],
                    }
                    for name, of_system in finds.items()
                },
            }
        )

    def result(self, report: StoredReport) -> dict[str, Any]:
        return {"systems": len(report.payload["systems"])}


def _reporting(systems: Sequence[System], work: JobContext) -> Iterator[System]:
    for done, system in enumerate(systems):
        work.progress(done, len(systems), "systems read")
        yield system
