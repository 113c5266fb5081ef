"""Import documents: all documents of a source, or none.

Every line is checked before anything is written, without a lock. The checked rows wait in a
temporary file. Then one short transaction inserts them, because on SQLite every other writer waits
for it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, ClassVar

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.documents import rows as document_rows
from corpus.documents.checking import (
    LISTED_KEYS,
    LISTED_PROBLEMS,
    PREFIX_ADVICE,
    CheckedRow,
    DocumentCheck,
    checked_batches,
)
from corpus.documents.clashes import Clash, IdsTaken
from corpus.documents.first_rows import FirstRows, first_rows
from corpus.documents.history import HistoryStep, record_import
from corpus.documents.import_options import DEFAULTS, MAX_SKIPPED, DocumentImportOptions
from corpus.formats.file_kinds import FileKind, check_kind
from corpus.formats.sources import AUTO, JoinedSource, Source, check_prefix, open_source
from corpus.models import Document
from corpus.selection.duplicates import Docnos, References
from corpus.selection.expansion import MISSING_SEEDS
from corpus.selection.selected_source import SelectedSource
from corpus.services import CorpusError, note_documents_changed, note_language
from jobs.context import JobContext, JobResult
from web.disk import is_full

# Counts that a dry run does not know.
WRITTEN = ("created", "updated", "unchanged", "references", "unresolved_references")
FROZEN_TEXT = "document_text_in_frozen_pool"  # the trigger's name
SENTENCE_QUERY_TEXT = "document_text_of_query_by_sentences"  # as well
MOST_FROZEN = 1_000  # frozen documents that are counted


class TextKept(IdsTaken):
    """Texts of documents would change although a rule of the database keeps them."""

    documents: ClassVar[str]
    reason: ClassVar[str]  # continues "docno is d1, "
    advice: ClassVar[str]

    def __init__(self, name: str, number: int, first: Clash) -> None:
        more = " or more" if number >= MOST_FROZEN else ""
        super().__init__(
            name,
            summary=f"{number:,}{more} {'line has' if number == 1 else 'lines have'} the docno of "
            f"{self.documents}.",
            first=first,
            advice=self.advice,
        )


class FrozenDocument(TextKept):
    """The texts of documents would change although frozen pools hold them."""

    documents = "a document in a frozen pool, with another text"
    reason = "which is in a frozen pool with another text"
    advice = f"Remove these lines, or restore the judged texts. {PREFIX_ADVICE}"


class SentencesNamed(TextKept):
    """The sentences of documents would change although queries name them by number."""

    documents = "a query paper with a query by sentences, with other sentences"
    reason = "whose sentences a query names by number"
    advice = (
        "Remove these lines; or remove the queries by sentences, import the file, and add them "
        "again."
    )


REFUSALS: dict[str, type[TextKept]] = {
    FROZEN_TEXT: FrozenDocument,
    SENTENCE_QUERY_TEXT: SentencesNamed,
}


class ImportCheck(FirstRows):
    """The result of a dry run beside the counts."""

    documents_to_import: int


@dataclass(frozen=True)
class DocumentImportReport:
    """The result of an import.

    `repeated` lines equal an earlier line and count once. `filtered` documents break a rule, and
    `rules` counts them by the first rule that each breaks. `far_from_seeds` documents were left out
    by a citation expansion, and `missing_seeds` of its seeds are not in the source. `not_sampled`
    documents were left out by a sampled sub-corpus, and `sub_corpus` has its counts. `problems` are
    the first hundred skipped lines, as FILE:LINE: reason. `read_as` is the format of the files.
    `section_labelled` documents of the files have labels from headings, and `unknown_headings`
    counts the sections whose heading gives none. Only a dry run has a `check`, and creates none.
    """

    created: int
    updated: int
    unchanged: int
    repeated: int
    without_text: int
    references: int
    unresolved_references: int
    unknown_keys: tuple[str, ...]
    filtered: int
    rules: dict[str, int]
    bad_lines: int
    problems: tuple[str, ...]
    read_as: str
    far_from_seeds: int
    missing_seeds: int
    not_sampled: int
    sub_corpus: dict[str, int]
    section_labelled: int
    unknown_headings: dict[str, int]
    check: ImportCheck | None = None

    @classmethod
    def of(cls, check: DocumentCheck, selected: SelectedSource | None) -> DocumentImportReport:
        """The counts of the lines, before anything is written."""
        is_sample = selected is not None and selected.selection.rules_first
        counts = dict(selected.counts) if selected else {}
        outside = selected.outside if selected else 0
        return cls(
            created=0,
            updated=0,
            unchanged=0,
            repeated=check.repeated,
            without_text=check.without_text,
            references=0,
            unresolved_references=0,
            unknown_keys=tuple(sorted(check.unknown_keys)[:LISTED_KEYS]),
            filtered=check.filtered.total(),
            rules=dict(check.filtered),
            bad_lines=len(check.problems),
            problems=tuple(str(line.error) for line in check.problems[:LISTED_PROBLEMS]),
            read_as=check.source.format_name,
            far_from_seeds=0 if is_sample else outside,
            missing_seeds=counts.get(MISSING_SEEDS, 0),
            not_sampled=outside if is_sample else 0,
            sub_corpus=counts if is_sample else {},
            section_labelled=check.section_labelled,
            unknown_headings=most_frequent(check.unknown_headings),
        )

    @property
    def documents(self) -> int:
        return self.created + self.updated + self.unchanged

    @property
    def result(self) -> JobResult:
        """The result of the job. Its page shows plain values and lists."""
        values = asdict(self)
        check = values.pop("check") or {}
        for name in ("rules", "sub_corpus", "unknown_headings"):
            values[name] = [
                f"{key.replace('_', ' ')}: {count:,}" for key, count in values[name].items()
            ]
        return {**check, **{key: values[key] for key in values if not check or key not in WRITTEN}}


def import_documents(
    *,
    collection: Collection,
    path: Path,
    work: JobContext,
    name: str = "",
    options: DocumentImportOptions = DEFAULTS,
) -> DocumentImportReport:
    """Import the documents of a file or folder. `name` is the name of the file in messages.

    A second import of the same file changes nothing. Raises as `open_files` and `import_source`.
    """
    source = open_files({name or path.name: path}, options)
    return import_source(collection=collection, source=source, options=options, work=work)


def open_files(
    paths: Mapping[str, Path], options: DocumentImportOptions = DEFAULTS
) -> JoinedSource:
    """The documents of files and folders, by their names in messages.

    Raises as `open_source`, and WrongKind for a file that is clearly of another kind.
    """
    sources = []
    for name, path in paths.items():
        try:
            format_name, columns = options.format_name, options.columns
            if format_name == AUTO and not columns and path.is_file():
                check_kind(path, name=name, wanted=FileKind.DOCUMENTS)
            sources.append(open_source(path, format_name=format_name, name=name, columns=columns))
        except OSError as error:
            raise _unreadable(name, error) from error
    return JoinedSource.of(sources)


def import_source(
    *, collection: Collection, source: Source, options: DocumentImportOptions, work: JobContext
) -> DocumentImportReport:
    """Import the documents of a source. A line replaces the document with its docno.

    The collection keeps the counts of each step.

    Raises (and writes nothing):
        DocumentFormatError: a line is invalid, and none may be skipped; or a file cannot be read
            as a whole.
        RepeatedDocnos: lines with the same docno differ, and none may be skipped.
        TooManyBadLines: more lines are invalid than may be skipped.
        FrozenDocument: the text of a document in a frozen pool would change.
        SentencesNamed: the sentences of a query paper with a query by sentences would change.
        CorpusError: the source cannot be read, or another import writes the same documents.
    """
    check_prefix(options.prefix)
    allowed = min(max(0, options.skip_bad), MAX_SKIPPED)
    folder = Path(settings.DATA_DIR)  # /tmp can be in memory, and the rows are as large as the file
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            closing(Docnos()) as docnos,
            closing(References(folder)) as references,
            TemporaryFile(dir=folder) as rows_file,
        ):
            selected = (
                SelectedSource(source, options.selection, options.recipe, folder)
                if options.selection
                else None
            )
            rules = options.recipe.rules
            check = DocumentCheck(selected or source, allowed, rules, docnos, references, rows_file)
            check.run(work, options.prefix)
            if selected:
                check.filtered.update(selected.filtered)
            report = DocumentImportReport.of(check, selected)
            if options.dry_run:
                report = replace(report, check=_import_check(check))
                with work.fenced():
                    work.complete(report.result)
                return report
            references.add_docnos(
                collection.documents.order_by().values_list("docno", flat=True).iterator()
            )
            cited, unresolved = references.counts()
            try:
                with work.fenced():
                    lock_collection(collection)
                    created, updated = _write(collection, rows_file, check.documents, work)
                    report = replace(
                        report,
                        created=created,
                        updated=updated,
                        unchanged=check.documents - created - updated,
                        references=cited,
                        unresolved_references=unresolved,
                    )
                    record_import(
                        collection=collection,
                        source=source,
                        recipe={**_recorded(options, report), **_section_labels(report)},
                        steps=_steps(check, selected),
                        counts=(created, updated, report.unchanged),
                    )
                    if created or updated:
                        record_action(
                            kind=ActionKind.DOCUMENTS_IMPORTED,
                            collection=collection,
                            details={"documents": created + updated},
                        )
                    work.complete(report.result)
            except IntegrityError as error:
                for rule in REFUSALS:
                    if rule in str(error):
                        raise _refused(rule, collection, source, rows_file, work) from error
                raise
    except (OSError, OperationalError, sqlite3.OperationalError) as error:
        if is_full(error):
            raise _too_little_room(source.name) from error
        if not isinstance(error, OSError):
            raise
        raise _unreadable(source.name, error) from error
    except IntegrityError as error:
        raise CorpusError(
            f"Nothing of {source.name} was imported: another import wrote the same documents at "
            "the same time. Import it again."
        ) from error
    return report


def _import_check(check: DocumentCheck) -> ImportCheck:
    rows = (
        (record.docno, record.title, " ".join(record.sentences), record.year, record.venue)
        for record in (line.record for line in check.first)
    )
    columns = ("docno", "title", "text", "year", "venue")
    return {"documents_to_import": check.documents, **first_rows(columns, rows)}


def most_frequent(headings: Counter[str]) -> dict[str, int]:
    """The most frequent headings with their counts; equal counts in the order of the alphabet."""
    order = sorted(headings.items(), key=lambda item: (-item[1], item[0]))
    return dict(order[:LISTED_KEYS])


def _section_labels(report: DocumentImportReport) -> Mapping[str, object]:
    """The source of the labels, as the history of the corpus keeps it; empty without sections."""
    if not (report.section_labelled or report.unknown_headings):
        return {}
    counts = {"documents": report.section_labelled, "unknown_headings": report.unknown_headings}
    return {"section_labels": counts}


def _recorded(options: DocumentImportOptions, report: DocumentImportReport) -> Mapping[str, object]:
    """The options as recorded, with the counts of a sampled sub-corpus."""
    if options.selection is None or not report.sub_corpus:
        return options.recorded
    sub_corpus = {**options.selection.summary, "counts": report.sub_corpus}
    return {**options.recorded, options.selection.name: sub_corpus}


def _steps(check: DocumentCheck, selected: SelectedSource | None) -> Iterator[HistoryStep]:
    """The steps of the check. Every rule is a step, even if it left out no document.

    Invalid lines far from the seeds count as invalid, because their docnos are unknown.
    """
    remaining = check.read
    removals = [(rule.name, check.filtered[rule.name]) for rule in check.rules]
    if selected:
        remaining += selected.outside + selected.filtered.total()
        place = len(removals) if selected.selection.rules_first else 0
        removals.insert(place, (selected.selection.reason, selected.outside))
    yield HistoryStep("read", 0, remaining)
    removals.insert(0, ("an invalid line", len(check.problems)))
    removals.append(("a line that repeats an earlier one", check.repeated))
    for name, removed in removals:
        remaining -= removed
        yield HistoryStep(name, removed, remaining)


def _too_little_room(name: str) -> CorpusError:
    return CorpusError(
        f"No space left on device, so nothing of {name} was imported. The import needs about three "
        f"times the size of the unpacked documents in {settings.DATA_DIR}. Free some space and "
        "start it again."
    )


def _unreadable(name: str, error: OSError) -> CorpusError:
    return CorpusError(f"{name} cannot be read: {error.strerror or error}.")


def _write(
    collection: Collection, rows_file: IO[bytes], total: int, work: JobContext
) -> tuple[int, int]:
    """Write the checked documents. Returns how many were created and how many were updated."""
    created = updated = done = 0
    is_empty = not collection.documents.exists()
    with document_rows.DocumentInserter(collection) as inserter:
        for batch in checked_batches(rows_file):
            stored = {} if is_empty else _stored(collection, batch)
            new = [item.row for item in batch if item.row[0] not in stored]
            inserter.add(new)
            created += len(new)
            for item, document in _changed(batch, stored):
                _update(item, document)
                updated += 1
            done += len(batch)
            work.progress(done, total, "documents written")
        inserter.analyze(created)
    if created or updated:
        note_documents_changed(collection)
        note_language(collection)
    return created, updated


def _stored(
    collection: Collection, batch: Sequence[CheckedRow]
) -> dict[str, document_rows.StoredDocument]:
    return document_rows.stored_documents(collection, [item.row[0] for item in batch])


def _changed(
    batch: Sequence[CheckedRow], stored: Mapping[str, document_rows.StoredDocument]
) -> Iterator[tuple[CheckedRow, document_rows.StoredDocument]]:
    for item in _with_kept_labels(batch, stored):
        document = stored.get(item.row[0])
        if document is not None and not document.equals(item.row):
            yield item, document


def _with_kept_labels(
    batch: Sequence[CheckedRow], stored: Mapping[str, document_rows.StoredDocument]
) -> Iterator[CheckedRow]:
    """The rows; one whose labels are from headings has those of the stored document, if its text
    is the same. A person may have changed them, or a judge seen them.
    """
    pks = [
        stored[item.row[0]].pk
        for item in batch
        if item.has_section_labels and item.row[0] in stored
    ]
    labels = dict(Document.objects.filter(pk__in=pks).values_list("docno", "labels"))
    for item in batch:
        kept = labels.get(item.row[0])
        if kept is not None:
            row = document_rows.with_labels(item.row, kept)
            same_text = row[4] == stored[row[0]].digest
            item = item._replace(row=row) if same_text else item
        yield item


def _update(item: CheckedRow, document: document_rows.StoredDocument) -> None:
    Document.objects.filter(pk=document.pk).update(**document_rows.columns_of(item.row))


def _refused(
    rule: str, collection: Collection, source: Source, rows_file: IO[bytes], work: JobContext
) -> IdsTaken:
    """The error that counts the documents that the rule keeps, after the import was rolled back."""
    with work.fenced(), transaction.atomic():
        lock_collection(collection)
        refused = list(islice(_refused_rows(rule, collection, rows_file), MOST_FROZEN))
        transaction.set_rollback(True)
    error = REFUSALS[rule]
    first = refused[0]
    clash = Clash(source.files[first.file], first.line, "docno", first.row[0], error.reason)
    return error(source.name, len(refused), clash)


def _refused_rows(rule: str, collection: Collection, rows_file: IO[bytes]) -> Iterator[CheckedRow]:
    # Only the database knows which documents it keeps. So each change is tried.
    for batch in checked_batches(rows_file):
        for item, document in _changed(batch, _stored(collection, batch)):
            try:
                with transaction.atomic():
                    _update(item, document)
            except IntegrityError as error:
                if rule in str(error):
                    yield item
                elif not any(other in str(error) for other in REFUSALS):
                    raise
