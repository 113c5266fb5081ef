"""The job that computes a report, and the question which reports are due."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q, Sum

from accounts.models import Collection
from adjudication.models import Case, Decision
from agreement.coefficients import Missing
from agreement.services import JOB_KIND, compute_report, job_key, job_result, request_report
from agreement.summary import STATISTICS_VERSION
from annotation.models import Judgment, Slot
from corpus.texts import canonical_json
from jobs import registry
from jobs.lease import Lease
from jobs.models import Job

LOOK_AGAIN_SECONDS = 60

Marks = tuple[int | None, int | None]


@registry.handles(JOB_KIND, title="Compute agreement")
def run_compute_agreement(lease: Lease) -> dict[str, Any]:
    report = compute_report(collection=lease.collection, work=lease, **lease.parameters)
    return job_result(report)


@dataclass
class LastLook:
    """What the newest rows were when this process last looked, and when it must look again."""

    marks: Marks = (None, None)
    until: float = 0.0

    def still_holds(self, marks: Marks) -> bool:
        # Not for ever: on PostgreSQL a row can appear after one with a higher id.
        return marks == self.marks and time.monotonic() < self.until

    def note(self, marks: Marks) -> None:
        self.marks = marks
        self.until = time.monotonic() + LOOK_AGAIN_SECONDS


last_look = LastLook()


@registry.due_check
def request_due_reports() -> None:
    """Ask for a report of every collection where a query was finished since the last one.

    Every worker asks every few seconds, so while nothing new was said this costs two index reads.
    """
    marks = newest_rows()
    if last_look.still_holds(marks):
        return
    for collection, reason in due_reports():
        for missing in Missing:
            if not _was_asked_for(collection, missing, reason):
                request_report(collection=collection, missing=missing.value, reason=reason)
    last_look.note(marks)


def newest_rows() -> Marks:
    return (
        Judgment.objects.aggregate(newest=Max("pk"))["newest"],
        Decision.objects.aggregate(newest=Max("pk"))["newest"],
    )


def due_reports() -> Iterator[tuple[Collection, str]]:
    """Collections with a fully judged query, each with a digest of how their queries stand.

    The digest changes when a query is fully judged, when one of its judgments is revised, when the
    last of its cases is decided, and with the version of the statistics. It does not change at
    every judgment or decision: a collection at work would fill the table with reports.
    """
    finished = _finished_queries()
    for collection in Collection.objects.filter(pk__in=list(finished)):
        content = canonical_json([STATISTICS_VERSION, sorted(finished[collection.pk])])
        yield collection, hashlib.sha256(content).hexdigest()[:16]


def _finished_queries() -> dict[int, list[tuple[int, int, int]]]:
    """Collection to its fully judged queries as (id, version of judgments, version of decisions).

    Current judgments only ever give way to later ones and decisions are only added, so the sum of
    their ids is never the same twice. Until all cases of a query are decided, its decisions count
    as none: its numbers after adjudication are undefined until then.
    """
    judged = (
        Slot.objects.values_list("pair__query__collection_id", "pair__query_id")
        .annotate(empty=Count("pk", filter=Q(judgment=None)), version=Sum("judgment_id"))
        .filter(empty=0)
        .values_list("pair__query__collection_id", "pair__query_id", "version")
    )
    undecided = set(Case.objects.due().values_list("query_id", flat=True))
    decisions = dict(Decision.objects.order_by().values_list("pair__query_id").annotate(Sum("pk")))
    finished = defaultdict(list)
    for collection_id, query_id, judgments in judged.order_by():
        decided = 0 if query_id in undecided else decisions.get(query_id, 0)
        finished[collection_id].append((query_id, int(judgments), int(decided)))
    return finished


def _was_asked_for(collection: Collection, missing: Missing, reason: str) -> bool:
    # In whatever state the job is: one that failed for these judgments would fail for them again.
    return Job.objects.filter(
        collection=collection, kind=JOB_KIND, key=job_key(missing, reason)
    ).exists()
