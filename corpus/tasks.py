"""The jobs that import documents and topics from uploaded files.

A file stays where it is until its job has ended: one taken over by another worker reads it again.
"""

from __future__ import annotations

from typing import Any

from corpus.document_import import import_documents
from corpus.sources import AUTO
from corpus.topic_import import import_topics
from jobs import registry
from jobs.lease import Lease
from jobs.uploaded_files import place_of

JOB_KIND = "import_documents"
TOPICS_KIND = "import_topics"


@registry.handles(JOB_KIND, title="Import documents", page="documents", reads=("path",))
def run_import_documents(lease: Lease) -> dict[str, Any]:
    """Parameters: `path` of the file, from UPLOAD_DIR, `filename`, what its owner calls it, and
    how to read it: `format`, `columns`, `prefix`, `filter` and `skip_bad`, as for
    `import_documents`.
    """
    report = import_documents(
        collection=lease.collection,
        path=place_of(lease.parameters),
        name=lease.parameters.get("filename", ""),
        format_name=lease.parameters.get("format", AUTO),
        filter_name=lease.parameters.get("filter", ""),
        columns=lease.parameters.get("columns", ""),
        prefix=lease.parameters.get("prefix", ""),
        skip_bad=lease.parameters.get("skip_bad", 0),
        work=lease,
    )
    return report.result


@registry.handles(TOPICS_KIND, title="Import topics", page="queries", reads=("path",))
def run_import_topics(lease: Lease) -> dict[str, Any]:
    """Parameters: `path` and `filename` as above, `facet` and `prefix` as of `import_topics`."""
    report = import_topics(
        collection=lease.collection,
        files={lease.parameters["filename"]: place_of(lease.parameters)},
        facet_key=lease.parameters["facet"],
        prefix=lease.parameters["prefix"],
        work=lease,
    )
    return report.result
