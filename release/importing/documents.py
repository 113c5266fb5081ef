"""Import the documents of a release, and how they were once imported."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bundle.names import DOCUMENTS
from bundle.reading.collection_files import read_corpus_imports, read_docnos
from bundle.reading.opened import BundleError
from corpus.documents.import_meter import meter_for
from corpus.documents.rows import DocumentInserter, row_of
from corpus.formats.document_lines import DocumentRecord, read_lines, valid_lines
from corpus.formats.sources import SourceError, open_source
from corpus.models import ImportStep
from corpus.services import note_documents_changed
from release.importing.context import ReleaseImportContext, ReleaseRefused
from web.words import count_noun, listed

WRITTEN_TOGETHER = 1_000
NAMED = 20  # missing documents


def import_documents(context: ReleaseImportContext, texts: Path | None) -> None:
    """Import the documents, and how they were once imported.

    `texts` is the file with those of a release without texts.

    Raises:
        BundleError, ReleaseRefused, DocumentFormatError, SourceError
    """
    records = _given(context, texts) if texts else _included(context)
    with DocumentInserter(context.collection) as inserter:
        rows = map(row_of, records)
        while some := list(islice(rows, WRITTEN_TOGETHER)):
            with context.part():
                inserter.add(some)
            context.report.documents += len(some)
            context.work.progress(context.report.documents, None, "documents imported")
        inserter.analyze(context.report.documents)
    with context.part():
        note_documents_changed(context.collection)
        _import_history(context)


def _included(context: ReleaseImportContext) -> Iterator[DocumentRecord]:
    """Those of the release, whose docnos ascend."""
    last = ""
    with context.bundle.open(DOCUMENTS) as file:
        for line in valid_lines(read_lines(file, name=DOCUMENTS)):
            if line.record.docno <= last:
                raise BundleError(
                    DOCUMENTS,
                    line.number,
                    f"{line.record.docno} comes after {last}. Documents are sorted by docno, and "
                    "each is there once.",
                )
            last = line.record.docno
            yield line.record


def _given(context: ReleaseImportContext, path: Path) -> Iterator[DocumentRecord]:
    """Those of the file that the release names. The other documents of the file are left out."""
    missing = set(read_docnos(context.bundle))
    try:
        source = open_source(path)
        meter = meter_for(context.work, size=source.size, note=f"bytes of {path.name} read")
        for line in valid_lines(source.lines(meter)):
            if line.record.docno in missing:
                missing.remove(line.record.docno)
                yield line.record
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}.") from error
    if missing:
        raise ReleaseRefused(
            f"{path.name} lacks {count_noun(len(missing), 'document')} of the release: "
            f"{listed(sorted(missing), NAMED)}. Give a file with all of them."
        )


def _import_history(context: ReleaseImportContext) -> None:
    """Record the imports of documents as the release states them, in their order."""
    for row in read_corpus_imports(context.bundle):
        kept = row.created + row.updated + row.unchanged
        record = context.collection.document_imports.create(
            source=row.source,
            format_name=row.format,
            recipe=dict(row.recipe),
            read=row.steps[0].remaining if row.steps else kept,
            created=row.created,
            updated=row.updated,
            unchanged=row.unchanged,
        )
        ImportStep.objects.bulk_create(
            ImportStep(document_import=record, position=position, **step._asdict())
            for position, step in enumerate(row.steps)
        )
