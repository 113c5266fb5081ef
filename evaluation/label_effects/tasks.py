"""The jobs that compare labels and import those of a model."""

from __future__ import annotations

from typing import Any

from accounts.models import User
from evaluation.label_effects.models import ReportKind
from evaluation.label_effects.services import JOB_KINDS, compute_label_report, report_result
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
    JOB_KINDS[ReportKind.LABEL_EFFECTS],
    title="Compare the labels of the judges",
    page="label-effects",
)
@handles(
    JOB_KINDS[ReportKind.CITED_PAPERS],
    title="Compare citations with labels",
    page="cited-papers",
)
@handles(JOB_KINDS[ReportKind.SHADOW_JUDGE], title="Compare a shadow judge", page="shadow-judges")
def run_compare_labels(lease: Lease) -> dict[str, Any]:
    report = compute_label_report(collection=lease.collection, work=lease, **lease.parameters)
    return report_result(report)


@handles(IMPORT_KIND, title="Import a shadow judge", page="shadow-judges", reads=("path",))
def run_import_shadow_judge(lease: Lease) -> dict[str, Any]:
    judge = import_shadow_judge(
        collection=lease.collection,
        path=place_of(lease.parameters),
        filename=lease.parameters["filename"],
        about=Description.from_json(lease.parameters),
        imported_by=User.objects.filter(pk__in=[lease.requested_by_id]).first(),
        work=lease,
    )
    return import_result(judge)
