"""The jobs of adjudication, and the check for reports that are due."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from accounts.models import User
from adjudication.judgment_import import ImportOptions, import_judgments
from adjudication.judgment_import.uploads import JUDGMENTS_KIND
from adjudication.yield_reports import request_due_yields
from jobs.lease import Lease
from jobs.registry import due_check, handles
from jobs.uploaded_files import files_of

due_check(request_due_yields)


@handles(
    JUDGMENTS_KIND,
    title="Import judgments",
    page="import-judgments",
    reads=("path",),
    form="import-judgments",
)
def run_import_judgments(lease: Lease) -> dict[str, Any]:
    """Parameters: those of `files_of`, and those of `ImportOptions`."""
    report = import_judgments(
        collection=lease.collection,
        files=[(path, name) for name, path in files_of(lease.parameters).items()],
        options=ImportOptions.of(lease.parameters),
        imported_by=User.objects.filter(pk__in=[lease.requested_by_id]).first(),
        work=lease,
    )
    return asdict(report)
