"""The jobs of adjudication, and the check for reports that are due."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from accounts.models import User
from adjudication import yield_reports
from adjudication.judgment_import import import_judgments
from adjudication.judgment_import.uploads import JUDGMENTS_KIND, options_from_json
from jobs.lease import Lease
from jobs.registry import due_check, handles
from jobs.uploaded_files import files_of


@handles(yield_reports.JOB_KIND, title="Count relevant documents by source", page="pools")
def run_compute_yields(lease: Lease) -> dict[str, Any]:
    yield_reports.compute_yields(collection=lease.collection, work=lease)
    return {}


@due_check
def request_due_yields() -> None:
    yield_reports.request_due_yields()


@handles(JUDGMENTS_KIND, title="Import judgments", page="import-judgments", reads=("path",))
def run_import_judgments(lease: Lease) -> dict[str, Any]:
    """Parameters: those of `files_of`, and the options of `options_as_json`."""
    report = import_judgments(
        collection=lease.collection,
        files=[(path, name) for name, path in files_of(lease.parameters).items()],
        options=options_from_json(lease.parameters),
        imported_by=User.objects.filter(pk__in=[lease.requested_by_id]).first(),
        work=lease,
    )
    return asdict(report)
