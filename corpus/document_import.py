"""Import documents: all documents of a source, or none.

Every line is checked before anything is written, without a lock. The checked rows wait in a
temporary file. Then one short transaction inserts them, because on SQLite every other writer waits
for it.
"""

from __future__ import annotations

import marshal
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus import document_rows
from corpus.clashes import Clash, IdsTaken, prefix_advice
from corpus.document_rows import Row, row_of
from corpus.duplicates import Docnos, LinePosition, References, content_digest
from corpus.filters import FILTERS, Rule, broken_rule
from corpus.formats import BadLine, DocumentLine
from corpus.import_meter import meter_for
from corpus.models import Document
from corpus.services import CorpusError, note_documents_changed, note_language
from corpus.sources import (
    AUTO,
    JoinedSource,
    Source,
    check_prefix,
    open_source,
    prefixed_lines,
)
from jobs.context import JobContext
from web.disk import is_full
from web.words import count_noun

BATCH = 500  # well below SQLite's smallest limit on the parameters of one query
LISTED_KEYS = 20
LISTED_PROBLEMS = 100
MAX_SKIPPED = 10_000
FROZEN_TEXT = "document_text_in_frozen_pool"  # the trigger's name
MOST_FROZEN = 1_000  # frozen documents that are counted
PREFIX_ADVICE = prefix_advice("documents", "--prefix", "new-")


class RepeatedDocnos(IdsTaken):
    """Lines have the docno of an earlier line, with other content."""

    def __init__(self, name: str, number: int, first: Clash) -> None:
        super().__init__(
            name,
            summary=f"{count_noun(number, 'line')} {'has' if number == 1 else 'have'} the docno "
            "of an earlier line, with other content.",
            first=first,
            advice=f"Keep one line for each docno. {PREFIX_ADVICE}",
        )


class FrozenDocument(IdsTaken):
    """The texts of documents would change although frozen pools hold them."""

    def __init__(self, name: str, number: int, first: Clash) -> None:
        more = " or more" if number >= MOST_FROZEN else ""
        super().__init__(
            name,
            summary=f"{number:,}{more} {'line has' if number == 1 else 'lines have'} the docno of "
            "a document in a frozen pool, with another text.",
            first=first,
            advice=f"Remove these lines, or restore the judged texts. {PREFIX_ADVICE}",
        )


class TooManyBadLines(CorpusError):
    """More lines are invalid than may be skipped. `problems` are those found up to then."""

    def __init__(self, name: str, problems: Sequence[BadLine], allowed: int) -> None:
        self.problems = tuple(problems)
        messages = [str(line.error) for line in problems[:LISTED_PROBLEMS]]
        more = len(problems) - len(messages)
        super().__init__(
            f"{name} has more than {count_noun(allowed, 'invalid line')}, so nothing was imported. "
            "The import stopped after these:\n"
            + "\n".join(messages)
            + (f"\n… and {more:,} more" if more else "")
        )


@dataclass(frozen=True)
class ImportReport:
    """The result of an import.

    `repeated` lines equal an earlier line and count once. `filtered` documents break a rule, and
    `rules` counts them by the first rule that each breaks. `problems` are the first hundred skipped
    lines, as FILE:LINE: reason. `read_as` is the format of the files.
    """

    created: int
    updated: int
    unchanged: int
    repeated: int
    without_text: int
    references: int
    unresolved_references: int
    unknown_keys: tuple[str, ...]
    filtered: int = 0
    rules: dict[str, int] = field(default_factory=dict)
    bad_lines: int = 0
    problems: tuple[str, ...] = ()
    read_as: str = ""

    @property
    def documents(self) -> int:
        return self.created + self.updated + self.unchanged

    @property
    def result(self) -> dict[str, Any]:
        """The result of the job. Its page shows plain values and lists."""
        rules = [f"{rule}: {count:,}" for rule, count in self.rules.items()]
        return {**asdict(self), "rules": rules}


def import_documents(
    *,
    collection: Collection,
    path: Path,
    work: JobContext,
    name: str = "",
    format_name: str = AUTO,
    columns: str = "",
    skip_bad: int = 0,
    filter_name: str = "",
    prefix: str = "",
) -> ImportReport:
    """Import the documents of a file or folder. A line replaces the document with its docno.

    `name` is the name of the file in messages; format and columns are as for `open_source`, the
    rest as for `import_source`. A second import of the same file changes nothing.

    Raises:
        CorpusError, SourceError: the path cannot be read as documents.
        DocumentFormatError, RepeatedDocnos, TooManyBadLines, FrozenDocument: as `import_source`.
    """
    source = open_files({name or path.name: path}, format_name=format_name, columns=columns)
    return import_source(
        collection=collection,
        source=source,
        work=work,
        skip_bad=skip_bad,
        filter_name=filter_name,
        prefix=prefix,
    )


def open_files(
    paths: Mapping[str, Path], *, format_name: str = AUTO, columns: str = ""
) -> JoinedSource:
    """The documents of files and folders, by their names in messages. Raises as `open_source`."""
    sources = []
    for name, path in paths.items():
        try:
            sources.append(open_source(path, format_name=format_name, name=name, columns=columns))
        except OSError as error:
            raise _unreadable(name, error) from error
    return JoinedSource(tuple(sources))


def import_source(
    *,
    collection: Collection,
    source: Source,
    work: JobContext,
    skip_bad: int = 0,
    filter_name: str = "",
    prefix: str = "",
) -> ImportReport:
    """Import the documents of a source. A line replaces the document with its docno.

    Up to `skip_bad` invalid lines are skipped and reported; one more stops the import.
    `filter_name` is a key of FILTERS, or "" to keep every document. `prefix` is put before every
    docno.

    Raises (and writes nothing):
        DocumentFormatError: a line is invalid, and none may be skipped; or a file cannot be read
            as a whole.
        RepeatedDocnos: lines with the same docno differ, and none may be skipped.
        TooManyBadLines: more lines are invalid than may be skipped.
        FrozenDocument: the text of a document in a frozen pool would change.
        CorpusError: the source cannot be read, or another import writes the same documents.
    """
    check_prefix(prefix)
    allowed = min(max(0, skip_bad), MAX_SKIPPED)
    folder = Path(settings.DATA_DIR)  # /tmp can be in memory, and the rows are as large as the file
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            closing(Docnos()) as docnos,
            closing(References(folder)) as references,
            TemporaryFile(dir=folder) as rows_file,
        ):
            check = _Check(source, allowed, rules_of(filter_name), docnos, references, rows_file)
            check.run(work, prefix)
            references.add_docnos(
                collection.documents.order_by().values_list("docno", flat=True).iterator()
            )
            cited, unresolved = references.counts()
            try:
                with work.fenced():
                    lock_collection(collection)
                    created, updated = _write(collection, rows_file, check.documents, work)
                    report = ImportReport(
                        created=created,
                        updated=updated,
                        unchanged=check.documents - created - updated,
                        repeated=check.repeated,
                        without_text=check.without_text,
                        references=cited,
                        unresolved_references=unresolved,
                        unknown_keys=tuple(sorted(check.unknown_keys)[:LISTED_KEYS]),
                        filtered=check.filtered.total(),
                        rules=dict(check.filtered),
                        bad_lines=len(check.problems),
                        read_as=source.format_name,
                        problems=tuple(
                            str(line.error) for line in check.problems[:LISTED_PROBLEMS]
                        ),
                    )
                    work.complete(report.result)
            except IntegrityError as error:
                if FROZEN_TEXT in str(error):
                    raise _frozen_documents(collection, source, rows_file) from error
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


def rules_of(filter_name: str) -> tuple[Rule, ...]:
    """The rules of a filter; no rules for "". Raises CorpusError for an unknown filter."""
    if filter_name and filter_name not in FILTERS:
        raise CorpusError(f"Unknown filter {filter_name!r}. Use {' or '.join(FILTERS)}.")
    return FILTERS[filter_name] if filter_name else ()


def _too_little_room(name: str) -> CorpusError:
    return CorpusError(
        f"No space left on device, so nothing of {name} was imported. The import needs about three "
        f"times the size of the unpacked documents in {settings.DATA_DIR}. Free some space and "
        "start it again."
    )


def _unreadable(name: str, error: OSError) -> CorpusError:
    return CorpusError(f"{name} cannot be read: {error.strerror or error}.")


class _CheckedRow(NamedTuple):
    """The row of a checked line, with the number of its file and its line number."""

    file: int
    line: int
    row: Row


class _Check:
    """Checks every line once, writes the rows to insert to a file, and counts."""

    def __init__(
        self,
        source: Source,
        allowed: int,
        rules: Sequence[Rule],
        docnos: Docnos,
        references: References,
        rows_file: IO[bytes],
    ) -> None:
        self.source, self.allowed, self.rules = source, allowed, rules
        self.docnos, self.references, self.rows_file = docnos, references, rows_file
        self.files = {name: number for number, name in enumerate(source.files)}
        self.documents = self.repeated = self.without_text = 0
        self.filtered: Counter[str] = Counter()
        self.unknown_keys: set[str] = set()
        self.problems: list[BadLine] = []
        self.clashes = 0
        self.first_clash: Clash | None = None

    def run(self, work: JobContext, prefix: str) -> None:
        size = self.source.size
        note = f"{self.source.unit} checked"
        lines = prefixed_lines(self.source.lines(meter_for(work, size=size, note=note)), prefix)
        while batch := list(islice(lines, BATCH)):
            valid: list[DocumentLine] = []
            for line in batch:
                if isinstance(line, DocumentLine):
                    valid.append(line)
                    continue
                self._add(valid)  # first, so that problems are reported in the order of the lines
                valid = []
                self._add_problem(line)
            self._add(valid)
        if self.first_clash is not None:
            raise RepeatedDocnos(self.source.name, self.clashes, self.first_clash)
        note = f"checked; writing {self.documents:,} documents in one step"
        work.progress(size or self.documents, size or self.documents, note)

    def _add_problem(self, line: BadLine) -> None:
        if not self.allowed:
            if self.first_clash is not None:
                return  # it came first, so the import fails with it; the rest is read to count
            raise line.error
        self.problems.append(line)
        if len(self.problems) > self.allowed:
            raise TooManyBadLines(self.source.name, self.problems, self.allowed)

    def _add(self, lines: list[DocumentLine]) -> None:
        passing_lines = [line for line in lines if self._passes(line)] if self.rules else lines
        rows = [
            _CheckedRow(self.files[line.file], line.number, row_of(line.record))
            for line in passing_lines
        ]
        earlier = self.docnos.add(
            [
                (row[0], content_digest(row[4:]), LinePosition(file, line))
                for file, line, row in rows
            ]
        )
        new = []
        for line, item, first in zip(passing_lines, rows, earlier, strict=True):
            if first is None:
                new.append(item)
                self._count(line)
            elif first[1]:
                self.repeated += 1
            else:
                self._add_clash(self._clash(line, first[0]))
        # Plain tuples, because marshal cannot write named ones.
        marshal.dump([tuple(item) for item in new], self.rows_file)
        self.references.add_docnos(item.row[0] for item in new)

    def _passes(self, line: DocumentLine) -> bool:
        rule = broken_rule(line.record.sentences, self.rules)
        if rule:
            self.filtered[rule.name] += 1
        return rule is None

    def _count(self, line: DocumentLine) -> None:
        record = line.record
        self.documents += 1
        self.without_text += not record.sentences
        self.references.add(record.references)
        if line.unknown_keys and len(self.unknown_keys) < LISTED_KEYS:
            self.unknown_keys.update(line.unknown_keys)

    def _add_clash(self, clash: Clash) -> None:
        if self.allowed:
            reason = f"docno is {clash.identifier}, {clash.reason}. Keep one."
            self._add_problem(BadLine(clash.line or 0, reason, clash.file))
            return
        self.clashes += 1
        self.first_clash = self.first_clash or clash

    def _clash(self, line: DocumentLine, first: LinePosition) -> Clash:
        file = self.source.files[first.file]
        place = f"line {first.line}" if file == line.file else f"{file}:{first.line}"
        reason = f"which is already in {place} with other content"
        return Clash(line.file, line.number, "docno", line.record.docno, reason)


def _batches(rows_file: IO[bytes]) -> Iterator[list[_CheckedRow]]:
    rows_file.seek(0)
    while True:
        try:
            batch = marshal.load(rows_file)
        except EOFError:
            return
        yield [_CheckedRow(*item) for item in batch]


def _write(
    collection: Collection, rows_file: IO[bytes], total: int, work: JobContext
) -> tuple[int, int]:
    """Write the checked documents. Returns how many were created and how many were updated."""
    created = updated = done = 0
    is_empty = not collection.documents.exists()
    with document_rows.DocumentInserter(collection) as inserter:
        for batch in _batches(rows_file):
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
    collection: Collection, batch: Sequence[_CheckedRow]
) -> dict[str, document_rows.StoredDocument]:
    return document_rows.stored_documents(collection, [item.row[0] for item in batch])


def _changed(
    batch: Sequence[_CheckedRow], stored: Mapping[str, document_rows.StoredDocument]
) -> Iterator[tuple[_CheckedRow, document_rows.StoredDocument]]:
    for item in batch:
        document = stored.get(item.row[0])
        if document is not None and not document.equals(item.row):
            yield item, document


def _update(item: _CheckedRow, document: document_rows.StoredDocument) -> None:
    Document.objects.filter(pk=document.pk).update(**document_rows.columns_of(item.row))


def _frozen_documents(
    collection: Collection, source: Source, rows_file: IO[bytes]
) -> FrozenDocument:
    """The error that counts the documents of frozen pools, after the import was rolled back."""
    with transaction.atomic():
        lock_collection(collection)
        frozen = list(islice(_frozen_rows(collection, rows_file), MOST_FROZEN))
        transaction.set_rollback(True)
    first = frozen[0]
    reason = "which is in a frozen pool with another text"
    clash = Clash(source.files[first.file], first.line, "docno", first.row[0], reason)
    return FrozenDocument(source.name, len(frozen), clash)


def _frozen_rows(collection: Collection, rows_file: IO[bytes]) -> Iterator[_CheckedRow]:
    # Only the database knows which documents are in frozen pools. So each change is tried.
    for batch in _batches(rows_file):
        for item, document in _changed(batch, _stored(collection, batch)):
            try:
                with transaction.atomic():
                    _update(item, document)
            except IntegrityError:
                yield item
