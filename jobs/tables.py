"""The table of jobs that have ended: its filters, columns and order."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from jobs import registry
from jobs.models import LIVE, Job, State
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice
from web.tables.paging import Order
from web.tables.sorted_paging import SortedRows


def _person(job: Job) -> str:
    return job.requested_by.shown_name if job.requested_by else ""


JOBS: Table[Job] = Table(
    "jobs",
    [
        Column(
            "job",
            "Job",
            {
                "id": lambda job: job.pk,
                "kind": lambda job: job.kind,
                "file": lambda job: job.parameters.get("filename", ""),
                "error": lambda job: job.error,
            },
        ),
        Column("state", "State", {"state": lambda job: job.state}),
        Column(
            "finished",
            "Finished",
            {"finished_at": lambda job: job.finished_at and job.finished_at.isoformat()},
        ),
        Column(
            "duration",
            "Duration",
            {"seconds": lambda job: job.elapsed and job.elapsed.total_seconds()},
        ),
        Column("person", "Started by", {"started_by": _person}),
    ],
)
ENDED = [state for state in State if state not in LIVE]
STATE = Filter(
    "state", "State", [FilterChoice(state, state.label, Q(state=state)) for state in ENDED]
)


def job_filters(jobs: QuerySet[Job]) -> list[Filter[Q]]:
    """By state, and by kind if there are several."""
    kinds = jobs.order_by("kind").values_list("kind", flat=True).distinct()
    choices = [FilterChoice(kind, registry.kind(kind).title, Q(kind=kind)) for kind in kinds]
    return [STATE, Filter("kind", "Kind", choices if len(choices) > 1 else [])]


def newest_first(jobs: QuerySet[Job]) -> SortedRows[Job]:
    return SortedRows.of(
        jobs, "-created", {"created": "created_at"}, key="id", key_order=Order("id", str)
    )
