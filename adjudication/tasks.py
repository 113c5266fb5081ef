"""The jobs of adjudication."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from adjudication.judgment_import import ImportOptions, import_judgments
from adjudication.judgment_import.uploads import JUDGMENTS_KIND
from jobs.lease import Lease
from jobs.registry import handles
from jobs.uploaded_files import files_of


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
        imported_by=lease.requester,
        work=lease,
    )
    return asdict(report)
