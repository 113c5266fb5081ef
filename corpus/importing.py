"""Bringing documents in: all of a source, or nothing of it.

Every line is checked before anything is written, without holding any lock. What is written then
comes from a temporary file of rows that are ready to insert, in one transaction as short as can be,
because on SQLite everybody else's writing waits for it.
"""

from __future__ import annotations

import marshal
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, OperationalError

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus import storing
from corpus.filters import FILTERS, Rule, broken_rule
from corpus.formats import BadLine, DocumentLine
from corpus.metering import meter_for
from corpus.models import Document
from corpus.seen import Docnos, Place, References, content_digest
from corpus.services import CorpusError, note_documents_changed
from corpus.sources import AUTO, Source, open_source
from corpus.storing import Row, row_of
from jobs.space import is_full
from jobs.work import Work

BATCH = 500  # well below SQLite's smallest limit on the parameters of one query
LISTED_KEYS = 20
LISTED_PROBLEMS = 100
MOST_SKIPPED = 10_000
FROZEN_TEXT = "document_text_in_frozen_pool"  # the trigger's name


class FrozenDocument(CorpusError):
    """A document's text would change although a frozen pool holds it."""

    def __init__(self, file: str, line: int, docno: str) -> None:
        self.file, self.line, self.docno = file, line, docno
        super().__init__(
            f"{file}:{line}: {docno} is in a frozen pool and its text differs from the one that is "
            "judged there. Nothing was imported. Take the line out, restore its text, or give the "
            "new text a docno of its own."
        )


class TooManyBadLines(CorpusError):
    """More lines are wrong than may be left out; `problems` are all that were found till then."""

    def __init__(self, name: str, problems: Sequence[BadLine], allowed: int) -> None:
        self.problems = tuple(problems)
        listed = [str(line.error) for line in problems[:LISTED_PROBLEMS]]
        more = len(problems) - len(listed)
        super().__init__(
            f"{name} has more than {allowed:,} bad lines, so nothing was imported. Those found "
            "before it stopped:\n" + "\n".join(listed) + (f"\n… and {more:,} more" if more else "")
        )


@dataclass(frozen=True)
class ImportReport:
    """What an import did.

    `repeated` lines say what an earlier line said; they count once. `filtered` documents were left
    out by a rule; `rules` says by which, each document under the first rule that it breaks.
    `problems` are the bad lines that were left out, as FILE:LINE: reason, the first hundred.
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

    @property
    def documents(self) -> int:
        return self.created + self.updated + self.unchanged

    @property
    def result(self) -> dict[str, Any]:
        """As the result of a job, whose page shows plain values and lists."""
        rules = [f"{rule}: {count:,}" for rule, count in self.rules.items()]
        return {**asdict(self), "rules": rules}


def import_documents(
    *,
    collection: Collection,
    path: Path,
    work: Work,
    name: str = "",
    format_name: str = AUTO,
    skip_bad: int = 0,
    filter_name: str = "",
) -> ImportReport:
    """Bring the documents of a file or folder into the collection; a line replaces its docno's.

    `name` is what messages call it; the rest is as for `import_source`. The same file again
    changes nothing.

    Raises:
        CorpusError, SourceError: nothing there can be read as documents.
        DocumentFormatError, TooManyBadLines, FrozenDocument: as `import_source`.
    """
    name = name or path.name
    try:
        source = open_source(path, format_name=format_name, name=name)
    except OSError as error:
        raise _unreadable(name, error) from error
    return import_source(
        collection=collection, source=source, work=work, skip_bad=skip_bad, filter_name=filter_name
    )


def import_source(
    *,
    collection: Collection,
    source: Source,
    work: Work,
    skip_bad: int = 0,
    filter_name: str = "",
) -> ImportReport:
    """Bring the documents of a source into the collection; a line replaces its docno's.

    Up to `skip_bad` bad lines are left out and reported; one more stops the import. `filter_name`
    is a key of FILTERS, or "" to keep every document.

    Raises:
        DocumentFormatError: a line is wrong, or two lines differ on one docno, and none may be;
            or a file as a whole cannot be read. Nothing is written.
        TooManyBadLines: more lines are wrong than may be. Nothing is written.
        FrozenDocument: a document of a frozen pool would change its text; nothing is written.
        CorpusError: the source cannot be read, or the same documents are being written by others.
    """
    allowed = min(max(0, skip_bad), MOST_SKIPPED)
    folder = Path(settings.DATA_DIR)  # not /tmp, which can be memory: the rows are as big as a file
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            closing(Docnos()) as docnos,
            closing(References(folder)) as references,
            TemporaryFile(dir=folder) as kept,
        ):
            check = _Check(source, allowed, rules_of(filter_name), docnos, references, kept)
            check.run(work)
            references.know(
                collection.documents.order_by().values_list("docno", flat=True).iterator()
            )
            cited, unresolved = references.counts()
            with work.fenced():
                lock_collection(collection)
                created, updated = _write(collection, source, kept, check.documents, work)
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
                    problems=tuple(str(line.error) for line in check.problems[:LISTED_PROBLEMS]),
                )
                work.complete(report.result)
    except (OSError, OperationalError, sqlite3.OperationalError) as error:
        if is_full(error):
            raise _too_little_room(source.name) from error
        if not isinstance(error, OSError):
            raise
        raise _unreadable(source.name, error) from error
    except IntegrityError as error:
        raise CorpusError(
            f"Another import wrote the same documents meanwhile, so nothing of {source.name} was "
            "imported. Import it again."
        ) from error
    return report


def rules_of(filter_name: str) -> tuple[Rule, ...]:
    """The rules of a filter; none for "". Raises CorpusError for a filter that does not exist."""
    if filter_name and filter_name not in FILTERS:
        raise CorpusError(f"No filter {filter_name!r}; there is {', '.join(FILTERS)}.")
    return FILTERS[filter_name] if filter_name else ()


def _too_little_room(name: str) -> CorpusError:
    return CorpusError(
        f"No space left on device, so nothing of {name} was imported. While documents are imported "
        f"{settings.DATA_DIR} needs about three times their room, unpacked; free some and start it "
        "again."
    )


def _unreadable(name: str, error: OSError) -> CorpusError:
    return CorpusError(f"{name} cannot be read: {error.strerror or error}.")


class _Kept(NamedTuple):
    """A line that is to be written: where it stands, and its row."""

    file: int
    line: int
    row: Row


class _Check:
    """Looks at every line once, keeps the rows to write in a file, and counts."""

    def __init__(
        self,
        source: Source,
        allowed: int,
        rules: Sequence[Rule],
        docnos: Docnos,
        references: References,
        kept: IO[bytes],
    ) -> None:
        self.source, self.allowed, self.rules = source, allowed, rules
        self.docnos, self.references, self.kept = docnos, references, kept
        self.files = {name: place for place, name in enumerate(source.files)}
        self.documents = self.repeated = self.without_text = 0
        self.filtered: Counter[str] = Counter()
        self.unknown_keys: set[str] = set()
        self.problems: list[BadLine] = []

    def run(self, work: Work) -> None:
        size = self.source.size
        note = f"{self.source.unit} checked"
        lines = self.source.lines(meter_for(work, size=size, note=note))
        while batch := list(islice(lines, BATCH)):
            good: list[DocumentLine] = []
            for line in batch:
                if isinstance(line, DocumentLine):
                    good.append(line)
                    continue
                self._keep(good)  # first: what is wrong in an earlier line is reported before
                good = []
                self._note(line)
            self._keep(good)
        done = f"checked; writing {self.documents:,} documents in one step"
        work.progress(size or self.documents, size or self.documents, done)

    def _note(self, line: BadLine) -> None:
        if not self.allowed:
            raise line.error
        self.problems.append(line)
        if len(self.problems) > self.allowed:
            raise TooManyBadLines(self.source.name, self.problems, self.allowed)

    def _keep(self, lines: list[DocumentLine]) -> None:
        chosen = [line for line in lines if self._passes(line)] if self.rules else lines
        kept = [_Kept(self.files[line.file], line.number, row_of(line.record)) for line in chosen]
        earlier = self.docnos.add(
            [(row[0], content_digest(row[4:]), Place(file, line)) for file, line, row in kept]
        )
        new = []
        for line, item, first in zip(chosen, kept, earlier, strict=True):
            if first is None:
                new.append(item)
                self._count(line)
            elif first[1]:
                self.repeated += 1
            else:
                self._note(self._differs(line, first[0]))
        # Tuples of plain values only, which marshal writes fastest.
        marshal.dump([tuple(item) for item in new], self.kept)
        self.references.know(item.row[0] for item in new)

    def _passes(self, line: DocumentLine) -> bool:
        broken = broken_rule(line.record.sentences, self.rules)
        if broken:
            self.filtered[broken.name] += 1
        return broken is None

    def _count(self, line: DocumentLine) -> None:
        record = line.record
        self.documents += 1
        self.without_text += not record.sentences
        self.references.add(record.references)
        if line.unknown_keys and len(self.unknown_keys) < LISTED_KEYS:
            self.unknown_keys.update(line.unknown_keys)

    def _differs(self, line: DocumentLine, first: Place) -> BadLine:
        file = self.source.files[first.file]
        where = f"line {first.line}" if file == line.file else f"{file}:{first.line}"
        reason = f"docno {line.record.docno} stands in {where} with other content; keep one"
        return BadLine(line.number, reason, line.file)


def _kept_batches(kept: IO[bytes]) -> Iterator[list[_Kept]]:
    kept.seek(0)
    while True:
        try:
            batch = marshal.load(kept)
        except EOFError:
            return
        yield [_Kept(*item) for item in batch]


def _write(
    collection: Collection, source: Source, kept: IO[bytes], total: int, work: Work
) -> tuple[int, int]:
    """Write the checked documents; how many were created and how many updated."""
    created = updated = done = 0
    is_empty = not collection.documents.exists()
    with storing.Inserting(collection) as inserting:
        for batch in _kept_batches(kept):
            held = {} if is_empty else storing.held(collection, [item.row[0] for item in batch])
            new = [item.row for item in batch if item.row[0] not in held]
            inserting.add(new)
            created += len(new)
            for item in batch:
                before = held.get(item.row[0])
                if before is not None and not before.says(item.row):
                    _update(item, before, source)
                    updated += 1
            done += len(batch)
            work.progress(done, total, "documents written")
        inserting.settle(created)
    if created or updated:
        note_documents_changed(collection)
    return created, updated


def _update(item: _Kept, before: storing.Held, source: Source) -> None:
    # One by one, so that the rule about frozen pools names the document that breaks it.
    if before.is_topic:
        raise CorpusError(
            f"{source.files[item.file]}:{item.line}: {item.row[0]} is a topic here, so nothing was "
            "imported. Import the topics again under a prefix, or give the document another docno."
        )
    try:
        Document.objects.filter(pk=before.pk).update(**storing.columns_of(item.row))
    except IntegrityError as error:
        if FROZEN_TEXT in str(error):
            raise FrozenDocument(source.files[item.file], item.line, item.row[0]) from error
        raise
