"""The job that imports documents from an uploaded file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings

from corpus.importing import import_documents
from corpus.sources import AUTO
from jobs import registry
from jobs.lease import Lease

JOB_KIND = "import_documents"


@registry.handles(JOB_KIND, title="Import documents")
def run_import_documents(lease: Lease) -> dict[str, Any]:
    """Parameters: `path` of the file, from UPLOAD_DIR, `filename`, what its owner calls it, and
    how to read it: `format`, `filter` and `skip_bad`, as `import_documents` takes them.

    The file stays where it is: a job taken over by another worker reads it again.
    """
    report = import_documents(
        collection=lease.collection,
        path=Path(settings.UPLOAD_DIR) / lease.parameters["path"],
        name=lease.parameters.get("filename", ""),
        format_name=lease.parameters.get("format", AUTO),
        filter_name=lease.parameters.get("filter", ""),
        skip_bad=lease.parameters.get("skip_bad", 0),
        work=lease,
    )
    return report.result
