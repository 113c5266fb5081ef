"""Import full texts: those of all documents that the collection has, or none.

Every line is checked before anything is written, without a lock. The checked rows wait in a
temporary file. Then one short transaction writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from django.conf import settings
from django.db import IntegrityError

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.documents.clashes import Clash, IdsTaken
from corpus.documents.import_meter import meter_for
from corpus.formats.full_texts import (
    AUTO,
    FORMATS,
    FullTextLine,
    SectionRow,
    read_full_texts,
    section_rows,
)
from corpus.formats.sources import check_prefix
from corpus.models import FullText
from corpus.selection.duplicates import Docnos, LinePosition
from corpus.services import CorpusError
from jobs.context import JobContext, JobResult
from web.words import count_noun, listed

BATCH = 200  # full texts that are in memory together
LISTED = 20  # unknown docnos
NAMED = 3  # files
STUDIED_TEXT = "full_text_stays_in_study"  # the trigger's name


class RepeatedFullTexts(IdsTaken):
    """Two lines have one docno and different full texts."""


class StudiedFullText(CorpusError):
    """The full text of a document in a full-text study would change."""

    status = 409


@dataclass(frozen=True)
class FullTextReport:
    """The result of an import.

    `repeated` lines equal an earlier line and count once. `unknown` lines have a docno that the
    collection does not have; `unknown_docnos` are the first of them.
    """

    created: int
    updated: int
    unchanged: int
    repeated: int
    unknown: int
    unknown_docnos: tuple[str, ...]

    @property
    def result(self) -> JobResult:
        """As the result of a job."""
        return asdict(self)


class _CheckedFullText(NamedTuple):
    """A checked full text on its way to the database."""

    file: str
    line: int
    docno: str
    sections: list[SectionRow]
    pdf_url: str
    digest: str


def import_full_texts(
    *,
    collection: Collection,
    files: Mapping[str, Path],
    work: JobContext,
    format_name: str = AUTO,
    prefix: str = "",
) -> FullTextReport:
    """Attach the full texts of the files to their documents, or none of them.

    `files` are paths by their names in messages; `format_name` is a key of FORMATS, or AUTO.
    `prefix` is put before every docno. A line replaces the full text that its document has. Docnos
    that the collection does not have are counted. A second import of the same files changes
    nothing.

    Raises (and writes nothing):
        DocumentFormatError: a line is invalid, or a file cannot be read as a whole.
        RepeatedFullTexts: two lines with one docno differ.
        StudiedFullText: a full text that a study shows would change.
        SourceError: the prefix has white space.
        CorpusError: the format is unknown, or a file cannot be opened.
    """
    check_prefix(prefix)
    if format_name not in (AUTO, *FORMATS):
        raise CorpusError(
            f"Unknown format {format_name!r} of full texts. Use {', '.join((AUTO, *FORMATS))}."
        )
    names = listed(list(files), NAMED)
    folder = Path(settings.DATA_DIR)  # /tmp can be in memory, and the rows are as large as the file
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryFile(dir=folder) as rows_file:
            lines = _read_files(files, format_name, prefix, work)
            repeated, total = _check(lines, list(files), names, rows_file)
            with work.fenced():
                lock_collection(collection)
                report = _write(collection, rows_file, repeated, total, work)
                work.complete(report.result)
    except OSError as error:
        raise CorpusError(f"{names} cannot be read: {error.strerror or error}.") from error
    return report


def _read_files(
    files: Mapping[str, Path], format_name: str, prefix: str, work: JobContext
) -> Iterator[FullTextLine]:
    size = sum(path.stat().st_size for path in files.values())
    meter = meter_for(work, size=size, note="bytes of full texts checked")
    for name, path in files.items():
        yield from read_full_texts(
            path, name=name, format_name=format_name, prefix=prefix, meter=meter
        )


def _check(
    lines: Iterator[FullTextLine], files: Sequence[str], names: str, rows_file: IO[bytes]
) -> tuple[int, int]:
    """Write each full text to `rows_file` once. Returns how many are repeated, and how many are in.

    Raises RepeatedFullTexts at the first line that differs from an earlier one.
    """
    repeated = total = 0
    with closing(Docnos()) as docnos:
        while batch := list(islice(lines, BATCH)):
            positions = [
                (
                    line.record.docno,
                    bytes.fromhex(line.record.digest),
                    LinePosition(files.index(line.file), line.number),
                )
                for line in batch
            ]
            for line, earlier in zip(batch, docnos.add(positions), strict=True):
                if earlier is None:
                    rows_file.write(_packed(line))
                    total += 1
                    continue
                position, is_same = earlier
                if not is_same:
                    raise _clash(line, files[position.file], position.line, names)
                repeated += 1
    return repeated, total


def _packed(line: FullTextLine) -> bytes:
    record = line.record
    sections = section_rows(record.sections)
    row = (line.file, line.number, record.docno, sections, record.pdf_url, record.digest)
    return json.dumps(row).encode() + b"\n"


def _clash(line: FullTextLine, file: str, number: int, names: str) -> RepeatedFullTexts:
    place = "line " if file == line.file else f"{file}:"
    reason = f"which is already in {place}{number} with another full text"
    return RepeatedFullTexts(
        names,
        summary="Two lines have one docno and different full texts.",
        first=Clash(line.file, line.number, "docno", line.record.docno, reason),
        advice="Keep one line for each docno.",
    )


def _write(
    collection: Collection, rows_file: IO[bytes], repeated: int, total: int, work: JobContext
) -> FullTextReport:
    created = updated = unchanged = unknown = done = 0
    unknown_docnos: list[str] = []
    rows_file.seek(0)
    rows = (_CheckedFullText(*json.loads(line)) for line in rows_file)
    while batch := list(islice(rows, BATCH)):
        docnos = [row.docno for row in batch]
        documents = dict(
            collection.documents.filter(docno__in=docnos).order_by().values_list("docno", "pk")
        )
        stored = dict(
            FullText.objects.filter(document__in=documents.values())
            .order_by()
            .values_list("document_id", "digest")
        )
        new = []
        for row in batch:
            document = documents.get(row.docno)
            if document is None:
                unknown += 1
                unknown_docnos = [*unknown_docnos, row.docno][:LISTED]
            elif document not in stored:
                new.append(
                    FullText(
                        document_id=document,
                        sections=row.sections,
                        pdf_url=row.pdf_url,
                        digest=row.digest,
                    )
                )
            elif stored[document] != row.digest:
                _replace(document, row)
                updated += 1
            else:
                unchanged += 1
        FullText.objects.bulk_create(new, batch_size=BATCH)
        created += len(new)
        done += len(batch)
        work.progress(done, total, "full texts written")
    return FullTextReport(created, updated, unchanged, repeated, unknown, tuple(unknown_docnos))


def _replace(document: int, row: _CheckedFullText) -> None:
    try:
        FullText.objects.filter(document=document).update(
            sections=row.sections, pdf_url=row.pdf_url, digest=row.digest
        )
    except IntegrityError as error:
        if STUDIED_TEXT not in str(error):
            raise
        raise StudiedFullText(
            f"Nothing of {row.file} was imported. {row.file}:{row.line}: docno is {row.docno}, "
            "which is in a full-text study with another full text. Remove the line, or restore the "
            "text."
        ) from error


def report_words(report: FullTextReport) -> str:
    """The counts of an import in one sentence, for a terminal."""
    parts = [
        f"full texts {report.created} created, {report.updated} updated, "
        f"{report.unchanged} unchanged"
    ]
    if report.repeated:
        parts.append(f"{count_noun(report.repeated, 'repeated line')} skipped")
    if report.unknown:
        more = " …" if report.unknown > len(report.unknown_docnos) else ""
        parts.append(
            f"{count_noun(report.unknown, 'unknown docno')} skipped "
            f"({', '.join(report.unknown_docnos)}{more})"
        )
    return "; ".join(parts) + "."
