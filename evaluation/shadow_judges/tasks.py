"""The job that imports the labels of a model."""

from __future__ import annotations

from evaluation.shadow_judges.services import (
    IMPORT_KIND,
    Description,
    import_result,
    import_shadow_judge,
)
from jobs.lease import Lease
from jobs.registry import handles
from jobs.uploaded_files import place_of


@handles(
    IMPORT_KIND,
    title="Import a shadow judge",
    page="label-effects",
    result=("shadow-judge", "name"),
    reads=("path",),
    form="import-shadow-judge",
)
def run_import_shadow_judge(lease: Lease) -> dict[str, object]:
    judge = import_shadow_judge(
        collection=lease.collection,
        path=place_of(lease.parameters),
        filename=lease.parameters["filename"],
        about=Description.from_json(lease.parameters),
        imported_by=lease.requester,
        work=lease,
    )
    return import_result(judge)
