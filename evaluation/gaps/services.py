"""The documents to judge so that conclusions are safe, and the stored report on gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from accounts.models import Collection
from corpus.digests import json_digest
from evaluation.gaps.computation.bounds import BoundedMeasure
from evaluation.gaps.computation.conclusions import Conclusion, ConclusionKind
from evaluation.gaps.computation.decisive import decisive
from evaluation.gaps.measures import DEPTH
from evaluation.gaps.reading import query_papers, read_lists
from evaluation.gaps.report import GapsError, check_systems, report_payload, summary_of
from jobs.context import JobContext
from reports.kinds import ReportContent
from reports.models import StoredReport
from reports.services import register
from scoring.report_kind import SystemsReport

DEEPEST = 1_000
MOST_UNASKED = 100_000  # lists: a minute or two


def all_conclusions(
    systems: Sequence[str], measure: str, kinds: Sequence[ConclusionKind] = tuple(ConclusionKind)
) -> list[Conclusion]:
    """Every pair of these systems by a measure."""
    return [
        Conclusion(first, second, measure, kind)
        for place, first in enumerate(systems)
        for second in systems[place + 1 :]
        for kind in kinds
    ]


def decisive_documents(
    collection: Collection,
    conclusions: Sequence[Conclusion],
    *,
    depth: int | None = DEPTH,
    gaps_of: Sequence[str] | None = None,
    work: JobContext | None = None,
) -> dict[str, list[str]]:
    """The docnos to judge, by the name of their query paper, for these conclusions to be safe.

    Guarantee: while the returned documents stay as they are, judging all other documents of the
    gaps, with any grades, cannot change any of the `conclusions`. A conclusion is which of two
    systems has the higher mean, or what the paired t test at 0.05 says about them (see
    `Conclusion`); means are over all queries with a relevant document, and the labels are the final
    ones. A query that first gets a relevant document then joins the means, and this is counted.

    The gaps are the documents without a label among the first `depth` of the lists of the systems
    `gaps_of`, by default of all systems in `conclusions`. `depth` None means whole lists. Documents
    that no list has there are not considered, nor are queries without any final label. Labels that
    are not there yet count as they do in scores: not relevant.

    The guarantee is about the present labels. After the returned documents were judged, call it
    again: the new labels can make others decisive. The answer can have more documents than are
    necessary; if it is empty, no labels of the gaps change a conclusion.

    Raises GapsError for an unknown system, and UnboundedMeasure for a measure without known bounds.
    """
    names = list(dict.fromkeys(name for each in conclusions for name in each[:2]))
    names += [name for name in gaps_of or () if name not in names]
    systems = {system.name: system for system in collection.systems.order_by("name")}
    check_systems(names, list(systems))
    measures = {
        each.measure: BoundedMeasure.of(each.measure, collection.relevant_from)
        for each in conclusions
    }
    chosen = names if gaps_of is None else gaps_of
    lists = read_lists(collection, [systems[name] for name in names], chosen, depth, work=work)
    papers = query_papers(collection)
    queries = [lists.query(place, papers, names) for place in range(len(lists.names))]
    return decisive(queries, measures, conclusions)


def is_quick(collection: Collection) -> bool:
    """Return whether the report takes so little time that it can be computed unasked."""
    lists = collection.systems.count() * collection.queries.count()
    return lists <= MOST_UNASKED


@register
@dataclass(frozen=True)
class GapsReport(SystemsReport):
    """The report on the gaps of systems to a depth. Empty `systems` stand for all systems.

    Its content raises GapsError; see `report_payload`.
    """

    name = "gaps"
    title = "Bound scores by their unjudged documents"
    page = "gaps"
    version = 1

    depth: int = DEPTH
    systems: list[str] = field(default_factory=list)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"depth": self.depth, "systems": sorted(set(self.systems))}

    @property
    def key(self) -> str:
        """The names of many systems are longer than a key may be."""
        names = self.parameters["systems"]
        return f"{self.depth}:{json_digest(names)}" if names else str(self.depth)

    def checked(self, collection: Collection) -> Self:
        if not 1 <= self.depth <= DEEPEST:
            raise GapsError(f"The depth must be from 1 to {DEEPEST:,}, got {self.depth:,}.")
        runs = collection.runs.values_list("name", flat=True)
        known = {*collection.systems.values_list("name", flat=True), *runs}
        check_systems(self.systems, sorted(known))
        return self

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        payload = report_payload(collection, self.depth, self.systems, work)
        return ReportContent(payload, summary_of(payload))

    def result(self, report: StoredReport) -> dict[str, Any]:
        return {"systems": len(report.payload["systems"]), "pairs": report.payload["pairs"]}
