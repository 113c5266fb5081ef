"""The stored checks of a collection's pools: warnings, shares and overlap before freezing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accounts.models import Collection
from jobs.context import JobContext
from jobs.last_look import LastLook
from pooling.models import PoolBuild
from pooling.services.state import pools_marks, pools_state
from pooling.tables import preview_of
from reports.kinds import ReportContent, ReportKind
from reports.services import register, request_if_due

last_look = LastLook()


@register
@dataclass(frozen=True)
class PoolChecks(ReportKind):
    """Its payload is a `pooling.tables.Preview`."""

    name = "check_pools"
    title = "Check the pools"
    page = "pools"
    version = 1

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {"the pools or the documents": pools_state(collection)}

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "checking the pools")
        return ReportContent(preview_of(collection).as_json())


def request_due_checks() -> None:
    """Request the checks of every collection whose pools or documents changed since the last."""
    marks = pools_marks()
    if last_look.still_holds(marks):
        return
    collection_ids = PoolBuild.objects.order_by().values("collection")
    collections = Collection.objects.active().filter(pk__in=collection_ids)
    are_requested = [
        request_if_due(PoolChecks(), collection=collection) for collection in collections
    ]
    if all(are_requested):
        last_look.note(marks)
