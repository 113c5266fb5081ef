"""The display proof: what was on screen for every judgment, derived from the stored texts again."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Sum

from accounts.models import Collection
from annotation.models import Judgment, Pair, PairCount, SlotCount
from annotation.stale_presentations import CheckedJudgment, checked_judgments
from database.consistent_reads import batched
from jobs.context import JobContext
from jobs.queues import JobQueue
from pooling.services.state import pools_state
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register

MOST_NAMED = 10_000  # judgments that differ; all are counted
CHECKED_TOGETHER = 1000  # judgments between two reports of the progress
TOGETHER = 500  # keys in a query
# Of a facet. Those of the judgments that count come before those of the earlier ones.
COUNTS = ("queries", "judgments", "different", "earlier", "earlier_different")


class DifferingJudgment(NamedTuple):
    """A judgment of another text than its pair shows now. `at` is when it was saved.

    `is_earlier` is true for one that counts no longer.
    """

    query: str
    facet: str
    docno: str
    slot: int
    at: str
    is_earlier: bool

    @property
    def saved_at(self) -> datetime:
        return datetime.fromisoformat(self.at)


@register
@dataclass(frozen=True)
class DisplayProof(ReportKind):
    """Its payload has the counts of the summary, and the first judgments that differ.

    Releases have the summary only: times and pairs that are not judged twice are for admins.
    """

    name = "prove_display"
    title = "Prove what was displayed"
    page = "display-proof"
    version = 1
    queue = JobQueue.LONG

    def inputs(self, collection: Collection) -> dict[str, Any]:
        pairs = Pair.objects.of(collection)
        counts = PairCount.objects.filter(query__collection=collection)
        return {
            "the judgments": list(counts.aggregate(Sum("revision")).values()),
            # The rules keep the texts of open queries. A change past them marks the pairs.
            "the texts": [pools_state(collection), pairs.filter(text_changed=True).count()],
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        tally = _Tally(work, _judgments(collection))
        found = heapq.nsmallest(
            MOST_NAMED,
            tally.differing(checked_judgments(collection)),
            key=lambda judgment: (judgment.pair.name, judgment.slot, judgment.pk),
        )
        summary = tally.summary()
        return ReportContent({**summary, "differences": _named(found)}, summary)

    def result(self, report: StoredReport) -> dict[str, Any]:
        return {name: report.summary[name] for name in ("judgments", "different")}

    def released(self, report: StoredReport) -> Any:
        return report.summary


class _Tally:
    """The counts of each facet, which grow while judgments pass."""

    def __init__(self, work: JobContext, total: int) -> None:
        self.work, self.total = work, total
        self.facets: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
        self.queries: set[str] = set()
        self.done = 0

    def differing(self, judgments: Iterator[CheckedJudgment]) -> Iterator[CheckedJudgment]:
        """Count all judgments and give those that differ."""
        for judgment in judgments:
            query, facet, _ = judgment.pair.name
            counts = self.facets[facet]
            if query not in self.queries:
                self.queries.add(query)
                counts["queries"] += 1
            counts["earlier" if judgment.is_earlier else "judgments"] += 1
            if not judgment.is_same:
                counts["earlier_different" if judgment.is_earlier else "different"] += 1
                yield judgment
            self.done += 1
            if self.done % CHECKED_TOGETHER == 0:
                self.work.progress(self.done, max(self.done, self.total), "checking judgments")

    def summary(self) -> dict[str, Any]:
        rows = [{"facet": facet, **counts} for facet, counts in sorted(self.facets.items())]
        totals = {name: sum(counts[name] for counts in self.facets.values()) for name in COUNTS}
        return {**totals, "facets": rows}


def _judgments(collection: Collection) -> int:
    """The number of judgments that count, for the progress."""
    counts = SlotCount.objects.filter(query__collection=collection)
    return counts.aggregate(sum=Sum("judged"))["sum"] or 0


def _named(judgments: list[CheckedJudgment]) -> list[DifferingJudgment]:
    times: dict[int, str] = {}
    for some in batched([judgment.pk for judgment in judgments], TOGETHER):
        rows = Judgment.objects.filter(pk__in=some).order_by().values_list("pk", "created_at")
        times |= {pk: at.isoformat() for pk, at in rows}
    return [
        DifferingJudgment(
            *judgment.pair.name, judgment.slot, times[judgment.pk], judgment.is_earlier
        )
        for judgment in judgments
    ]
