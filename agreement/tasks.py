"""The check for agreement reports that are due."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import F
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.newest_rows import newest_rows
from agreement.coefficients import Missing
from agreement.services import AgreementReport
from agreement.summary import STATISTICS_VERSION
from annotation.models import PairCount
from corpus.digests import json_digest
from jobs.last_look import LastLook
from jobs.registry import due_check
from reports.services import job_key, request_report

last_look = LastLook()


@due_check
def request_due_reports() -> None:
    """Request a report of every collection where a query was finished since the last report.

    Every worker runs this every few seconds. Without new rows it costs two index reads, and with
    new rows one count of each fully judged query.
    """
    marks = newest_rows()
    if last_look.still_holds(marks):
        return
    for collection, reason in due_reports():
        for missing in Missing:
            kind = AgreementReport(missing.value)
            # In whatever state: a job that failed for these judgments would fail for them again.
            jobs = collection.jobs.filter(kind=kind.name, key=job_key(kind, reason))
            if not jobs.exists():
                request_report(kind, collection=collection, reason=reason)
    last_look.note(marks)


def due_reports() -> Iterator[tuple[Collection, str]]:
    """Collections with a fully judged query, each with a digest of how their queries stand.

    The digest changes when a query is fully judged, when one of its judgments is revised, when the
    last of its cases is decided, and with the version of the statistics. It does not change at
    every judgment or decision: a collection at work would fill the table with reports.
    """
    finished_queries = _finished_queries()
    for collection in Collection.objects.active().filter(pk__in=list(finished_queries)):
        state = [STATISTICS_VERSION, sorted(finished_queries[collection.pk])]
        yield collection, json_digest(state)[:16]


def _finished_queries() -> dict[int, list[tuple[int, int, int]]]:
    """Collection to its fully judged queries as (id, version of judgments, version of decisions).

    Both versions come from the counts that triggers keep, and only ever grow. Until all cases of a
    query are decided, its decisions count as none: its numbers after adjudication are undefined
    until then.
    """
    counts = PairCount.objects.filter(total__gt=0, judged=F("total")).values_list(
        "query__collection_id",
        "query_id",
        "revision",
        "disputed",
        Coalesce("query__case_count__settled", 0),
        Coalesce("query__case_count__decisions", 0),
    )
    finished_queries = defaultdict(list)
    for collection_id, query_id, revision, disputed, settled, decisions in counts:
        decision_version = decisions if settled == disputed else 0
        finished_queries[collection_id].append((query_id, revision, decision_version))
    return finished_queries
