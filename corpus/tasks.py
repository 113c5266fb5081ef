"""The jobs that import documents, topics and full texts from uploaded files.

A file stays where it is until its job has ended: one taken over by another worker reads it again.
"""

from __future__ import annotations

from corpus.documents.full_texts import import_full_texts
from corpus.documents.import_options import DocumentImportOptions
from corpus.documents.importing import import_source, open_files
from corpus.formats.sources import AUTO
from corpus.topics.importing import import_topics
from jobs import registry
from jobs.lease import Lease
from jobs.uploaded_files import files_of

JOB_KIND = "import_documents"
TOPICS_KIND = "import_topics"
FULL_TEXTS_KIND = "import_full_texts"


@registry.handles(
    JOB_KIND,
    title="Import documents",
    page="documents",
    reads=("path",),
    form="import-documents",
    owners=registry.WHOLE,
)
def run_import_documents(lease: Lease) -> None:
    """Parameters: those of `files_of` and of DocumentImportOptions."""
    options = DocumentImportOptions.of(lease.parameters)
    source = open_files(files_of(lease.parameters), options)
    import_source(collection=lease.collection, source=source, options=options, work=lease)


@registry.handles(
    TOPICS_KIND,
    title="Import topics",
    page="queries",
    reads=("path",),
    form="import-topics",
    owners=registry.WHOLE,
)
def run_import_topics(lease: Lease) -> None:
    """Parameters: those of `files_of`, and `facet`, `topic_prefix` and `dry_run` as of
    `import_topics`.
    """
    import_topics(
        collection=lease.collection,
        files=files_of(lease.parameters),
        facet_key=lease.parameters["facet"],
        topic_prefix=lease.parameters["topic_prefix"],
        dry_run=lease.parameters.get("dry_run", False),
        work=lease,
    )


@registry.handles(
    FULL_TEXTS_KIND,
    title="Import full texts",
    page="documents",
    reads=("path",),
    form="import-full-texts",
)
def run_import_full_texts(lease: Lease) -> None:
    """Parameters: those of `files_of`, and `format` and `prefix` as of `import_full_texts`."""
    import_full_texts(
        collection=lease.collection,
        files=files_of(lease.parameters),
        format_name=lease.parameters.get("format", AUTO),
        prefix=lease.parameters.get("prefix", ""),
        work=lease,
    )
