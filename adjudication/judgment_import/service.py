"""The service that imports judgments and decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePath

from django.db import IntegrityError, transaction

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection, User
from adjudication.judgment_import.context import (
    ImportOptions,
    JudgmentImportContext,
    JudgmentImportReport,
    JudgmentsRefused,
)
from adjudication.judgment_import.decisions import import_decisions
from adjudication.judgment_import.files import (
    LARGEST,
    FieldNames,
    FileContent,
    GradeCodes,
    read_judgment_file,
)
from adjudication.judgment_import.judgments import import_slots
from adjudication.judgment_import.people import ImportedPeople
from adjudication.judgment_import.pools import import_pools
from adjudication.judgment_import.records import find_records
from adjudication.models import JudgmentImport
from annotation.models import Reason
from corpus.documents.first_rows import FirstRows, first_rows
from corpus.documents.import_meter import meter_for
from corpus.formats.file_kinds import FileKind, check_kind
from corpus.formats.sources import check_prefix
from jobs.context import JobContext
from pooling.services.drafts import delete_replaced


def import_judgments(
    *,
    collection: Collection,
    files: Sequence[tuple[Path, str]],
    options: ImportOptions,
    work: JobContext,
    imported_by: User | None = None,
) -> JudgmentImportReport:
    """Import every judgment and decision of the files, each a path and a name, or none of them.

    People of the files become accounts that cannot log in. A query that is not open is opened. A
    pair without a pool gets an imported one. A second import of the same files changes nothing.

    Raises:
        JudgmentsRefused: a file, a record or an id is invalid, or a judgment would overwrite one.
        SourceError: a prefix has white space.
        WrongKind: a file is clearly of another kind, such as qrels.
    """
    check_prefix(options.prefix)
    check_prefix(options.topic_prefix)
    scale = GradeCodes(grades=collection.grades, reasons=Reason.values)
    contents = [_read(path, name, options, scale, work) for path, name in files]
    problems = [problem for content in contents for problem in content.problems]
    if problems:
        raise JudgmentsRefused(problems)
    report = JudgmentImportReport(
        dry_run=options.dry_run, skipped=sum(content.skipped for content in contents)
    )
    try:
        with work.fenced():
            with transaction.atomic():
                locked = lock_collection(collection)
                _write(JudgmentImportContext(locked, options, imported_by, work, report), contents)
                transaction.set_rollback(options.dry_run)
            work.complete({**asdict(report), **(_first_rows(contents) if options.dry_run else {})})
    except IntegrityError as error:
        raise JudgmentsRefused(
            [f"The database refused a row: {error}. Import the files again."]
        ) from error
    if report.pools_imported and not options.dry_run:
        delete_replaced(collection)
    return report


def _first_rows(contents: Sequence[FileContent]) -> FirstRows:
    """Without grades: other admins see the job, also those who judge."""
    rows = (
        (record.query, record.docno, record.person, "reason" if record.grade is None else "grade")
        for content in contents
        for record in (*content.judgments, *content.decisions)
    )
    return first_rows(("query", "docno", "person", "answer"), rows)


def _read(
    path: Path, name: str, names: FieldNames, scale: GradeCodes, work: JobContext
) -> FileContent:
    try:
        check_kind(path, name=name, wanted=FileKind.JUDGMENTS)
        size = path.stat().st_size
        meter = meter_for(work, size=size, note=f"bytes of {name} read", limit=LARGEST)
        return read_judgment_file(path, name=name, names=names, scale=scale, meter=meter)
    except OSError as error:
        reason = f"{name} cannot be read: {error.strerror or error}."
        raise JudgmentsRefused([reason]) from error


def _write(context: JudgmentImportContext, contents: Sequence[FileContent]) -> None:
    records = find_records(context, contents)
    files = _digests(contents)
    people = ImportedPeople(context)
    import_pools(context, records, files)
    import_slots(context, people, records)
    import_decisions(context, people, records)
    _note_import(context, files)


def _digests(contents: Sequence[FileContent]) -> dict[str, str]:
    """The SHA-256 of each file by its name, without the folders of the server."""
    digests: dict[str, str] = {}
    for content in contents:
        name = PurePath(content.name).name
        digests[name if name not in digests else f"{name} ({len(digests) + 1})"] = content.sha256
    return digests


def _note_import(context: JudgmentImportContext, files: Mapping[str, str]) -> None:
    """Release pages state imports. One that changed nothing is not among them."""
    if context.report.judgments or context.report.decisions:
        JudgmentImport.objects.create(
            collection=context.collection,
            files=dict(files),
            judgments=context.report.judgments,
            decisions=context.report.decisions,
            imported_by=context.imported_by,
        )
        record_action(
            kind=ActionKind.JUDGMENTS_IMPORTED,
            collection=context.collection,
            details={
                "judgments": context.report.judgments,
                "decisions": context.report.decisions,
            },
            by=context.imported_by,
        )
