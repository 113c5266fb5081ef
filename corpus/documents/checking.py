"""Checking the lines of a document import, before anything is written."""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, NamedTuple

from corpus.documents.clashes import Clash, IdsTaken, prefix_advice
from corpus.documents.first_rows import ROWS
from corpus.documents.import_meter import meter_for
from corpus.documents.rows import Row, row_of
from corpus.formats.document_lines import BadLine, DocumentLine
from corpus.formats.sources import Source, prefixed_lines
from corpus.selection.duplicates import Docnos, LinePosition, References, content_digest
from corpus.selection.filters import FilterRule, broken_rule
from corpus.services import CorpusError
from jobs.context import JobContext
from web.words import count_noun, listed_lines

BATCH = 500  # well below SQLite's smallest limit on the parameters of one query
LISTED_KEYS = 20
LISTED_PROBLEMS = 100
PREFIX_ADVICE = prefix_advice("documents", "new-")


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


class TooManyBadLines(CorpusError):
    """More lines are invalid than may be skipped. `problems` are those found up to then."""

    def __init__(self, name: str, problems: Sequence[BadLine], allowed: int) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"{name} has more than {count_noun(allowed, 'invalid line')}, so nothing was imported. "
            "The import stopped after these:\n"
            + listed_lines([line.error for line in problems], LISTED_PROBLEMS)
        )


class CheckedRow(NamedTuple):
    """The row of a checked line, with the number of its file and its line number.

    With `has_section_labels`, a document that is there with this text keeps its labels.
    """

    file: int
    line: int
    row: Row
    has_section_labels: bool = False


class DocumentCheck:
    """Checks every line once, writes the rows to insert to a file, and counts."""

    def __init__(
        self,
        source: Source,
        allowed: int,
        rules: Sequence[FilterRule],
        docnos: Docnos,
        references: References,
        rows_file: IO[bytes],
    ) -> None:
        self.source, self.allowed, self.rules = source, allowed, rules
        self.docnos, self.references, self.rows_file = docnos, references, rows_file
        self.files = {name: number for number, name in enumerate(source.files)}
        self.read = self.documents = self.repeated = self.without_text = 0
        self.filtered: Counter[str] = Counter()
        self.unknown_keys: set[str] = set()
        self.section_labelled = 0
        self.unknown_headings: Counter[str] = Counter()
        self.problems: list[BadLine] = []
        self.first: list[DocumentLine] = []
        self.clashes = 0
        self.first_clash: Clash | None = None

    def run(self, work: JobContext, prefix: str) -> None:
        size = self.source.size
        note = f"{self.source.unit} checked"
        lines = prefixed_lines(self.source.lines(meter_for(work, size=size, note=note)), prefix)
        while batch := list(islice(lines, BATCH)):
            self.read += len(batch)
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
            CheckedRow(
                self.files[line.file], line.number, row_of(line.record), line.has_section_labels
            )
            for line in passing_lines
        ]
        earlier = self.docnos.add(
            [
                (row[0], content_digest(row[4:]), LinePosition(file, line))
                for file, line, row, _ in rows
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
        rule = broken_rule(line.record, self.rules)
        if rule:
            self.filtered[rule.name] += 1
        return rule is None

    def _count(self, line: DocumentLine) -> None:
        record = line.record
        self.documents += 1
        if len(self.first) < ROWS:
            self.first.append(line)
        self.without_text += not record.sentences
        self.references.add(record.references)
        self.section_labelled += line.has_section_labels
        self.unknown_headings.update(line.unknown_headings)
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


def checked_batches(rows_file: IO[bytes]) -> Iterator[list[CheckedRow]]:
    rows_file.seek(0)
    while True:
        try:
            batch = marshal.load(rows_file)
        except EOFError:
            return
        yield [CheckedRow(*item) for item in batch]
