"""Document sources: a file, a folder or a zip of files in one of the formats. Pure."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, cast

from corpus.formats.academic_graph import DumpFile
from corpus.formats.decompression import BadArchive, Meter, TooLarge, check_member, files_in
from corpus.formats.document_lines import (
    MAX_DOCNO,
    BadLine,
    DocumentLine,
    Reading,
    checked_lines,
)
from corpus.formats.registry import AUTO as AUTO
from corpus.formats.registry import DOCUMENT_FORMATS, detect_format
from corpus.formats.tables import ColumnError, parse_columns
from web.errors import UserFacingError
from web.words import listed

FORMATS = (AUTO, *DOCUMENT_FORMATS)
_PLAIN_ENDINGS = (*(".jsonl", ".json", ".tsv", ".csv", ".xml", ".sgml", ".sgm", ".trec", ".bib"),)
ENDINGS = (*_PLAIN_ENDINGS, *(f"{ending}.gz" for ending in _PLAIN_ENDINGS))
BEIR_CORPUS = ("corpus.jsonl", "corpus.jsonl.gz")


class SourceError(UserFacingError):
    """A file or folder that cannot be imported. The message is shown to people."""


class Source(Protocol):
    """Documents in the order in which they will be stored."""

    @property
    def name(self) -> str:
        """The name of the source in messages."""

    @property
    def unit(self) -> str:
        """The unit of `size` and of the meter."""

    @property
    def files(self) -> Sequence[str]:
        """The name of each file in messages."""

    @property
    def size(self) -> int | None:
        """The total size, if it is known before reading."""

    @property
    def format_name(self) -> str:
        """The format of the files; several are separated by commas."""

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        """Read the lines. The meter gets the progress and limits the unpacked size."""


@dataclass
class WrappedSource:
    """A source that changes or leaves out lines of another one, and is named as that one is."""

    source: Source

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def unit(self) -> str:
        return self.source.unit

    @property
    def files(self) -> Sequence[str]:
        return self.source.files

    @property
    def size(self) -> int | None:
        return self.source.size

    @property
    def format_name(self) -> str:
        return self.source.format_name


class SourceFile(NamedTuple):
    """A file of a source: its name in messages, its path and its size in bytes."""

    name: str
    path: Path
    size: int
    member: str = ""  # inside the zip at `path`

    def open(self, archive: zipfile.ZipFile | None) -> AbstractContextManager[Path | IO[bytes]]:
        """The path of the file, or its stream inside the zip. Nothing is unpacked to disk."""
        return archive.open(self.member) if archive and self.member else nullcontext(self.path)

    @contextmanager
    def open_alone(self) -> Iterator[Path | BinaryIO]:
        """As `open`, with the zip for as long as the file is open."""
        with _archive_of(self, self.name) as archive, self.open(archive) as stream:
            yield cast("Path | BinaryIO", stream)


@dataclass(frozen=True)
class FileSource:
    """The lines of some files, one after the other."""

    name: str
    parts: tuple[SourceFile, ...]
    format_name: str
    columns: Mapping[str, str]
    unit: str = "bytes"

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        meter, reading = meter or Meter(), reading or Reading()
        document_format = DOCUMENT_FORMATS[self.format_name]
        if document_format.join is not None:
            parts = [DumpFile(part.name, part.open_alone) for part in self.parts]
            yield from document_format.join(parts, meter, reading)
            return
        # Opened once: reading the directory of a zip with 20,000 members for each one takes hours.
        with _archive_of(self.parts[0], self.name) as archive:
            for part in self.parts:
                with part.open(archive) as stream:
                    items = document_format.items(
                        cast("Path | BinaryIO", stream), part.name, meter, self.columns
                    )
                    empty = document_format.empty
                    yield from checked_lines(items, part.name, empty=empty, reading=reading)


@dataclass(frozen=True)
class JoinedSource:
    """Several sources, one after the other. Those in a format that joins its files are one."""

    sources: tuple[FileSource, ...]
    names: tuple[str, ...]
    unit: str = "bytes"

    @classmethod
    def of(cls, sources: Sequence[FileSource]) -> JoinedSource:
        merged: list[FileSource] = []
        places: dict[str, int] = {}
        for source in sources:
            if DOCUMENT_FORMATS[source.format_name].join is None:
                merged.append(source)
            elif source.format_name in places:
                first = merged[places[source.format_name]]
                parts = first.parts + source.parts
                merged[places[source.format_name]] = replace(first, parts=parts)
            else:
                places[source.format_name] = len(merged)
                merged.append(source)
        return cls(tuple(merged), tuple(source.name for source in sources))

    @property
    def name(self) -> str:
        return listed(self.names, 1)

    @property
    def format_name(self) -> str:
        return ", ".join(dict.fromkeys(source.format_name for source in self.sources))

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(file for source in self.sources for file in source.files)

    @property
    def size(self) -> int:
        return sum(source.size for source in self.sources)

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        meter, reading = meter or Meter(), reading or Reading()
        for source in self.sources:
            yield from source.lines(meter, reading)


def prefixed_lines(
    lines: Iterable[DocumentLine | BadLine], prefix: str
) -> Iterator[DocumentLine | BadLine]:
    """The lines with the prefix before each docno, also of the documents that are cited."""
    for line in lines:
        if isinstance(line, BadLine) or not prefix:
            yield line
            continue
        record = line.record._replace(
            docno=prefix + line.record.docno,
            references=tuple(prefix + docno for docno in line.record.references),
        )
        if len(record.docno) > MAX_DOCNO:
            reason = f"with the prefix, the docno has more than {MAX_DOCNO} characters."
            yield BadLine(line.number, f"{reason} Use a shorter prefix.", line.file)
        else:
            yield line._replace(record=record)


def check_prefix(prefix: str) -> None:
    """Raises SourceError for a prefix that makes invalid ids."""
    if prefix and prefix.split() != [prefix]:
        raise SourceError(f"The prefix {prefix!r} must not contain white space.")


def open_source(
    path: Path, *, format_name: str = AUTO, name: str = "", columns: str = ""
) -> FileSource:
    """The documents at `path`. `name` is its name in messages.

    From a folder or a zip, its `corpus.jsonl` is used if it has one, otherwise every file with an
    ending of ENDINGS or with `.gz` as its only ending, by name. If a folder has no such file, its
    subfolders are searched. The format `auto` is detected by the first line of the first file.
    `columns` maps values to the columns of a TSV or CSV file, as in "docno=id,text=body".

    Raises:
        SourceError: the format or the mapping of columns is invalid, the zip cannot be read, or
            there are no document files.
        OSError: the path cannot be read.
    """
    if format_name not in FORMATS:
        raise SourceError(f"Unknown format {format_name!r}. Use one of {', '.join(FORMATS)}.")
    name = name or path.name
    parts = _parts(path, name)
    if format_name == AUTO:
        format_name = _detect_format(parts[0])
    if columns and format_name not in ("tsv", "csv"):
        raise SourceError(
            f"{name} is read as {format_name}, which has no columns. Leave the columns out, or "
            "choose the format tsv or csv."
        )
    try:
        return FileSource(name, parts, format_name, parse_columns(columns))
    except ColumnError as error:
        raise SourceError(str(error)) from error


def _parts(path: Path, name: str) -> tuple[SourceFile, ...]:
    if path.is_dir():
        inside = _files_in(path, name, path.iterdir())
        if not any(_is_document_file(part) for part in inside):
            inside = _files_in(path, name, path.rglob("*"))
        return _document_files(inside, name)
    if not zipfile.is_zipfile(path):
        return (SourceFile(name, path, path.stat().st_size),)
    with _zip_errors(name), zipfile.ZipFile(path) as archive:
        members = {f"{name}/{member.filename}": member for member in files_in(archive)}
    inside = [
        SourceFile(full_name, path, member.file_size, member.filename)
        for full_name, member in members.items()
    ]
    parts = _document_files(inside, name)
    for part in parts:
        _check_member(part.name, members[part.name])
    return parts


def _files_in(folder: Path, name: str, paths: Iterable[Path]) -> list[SourceFile]:
    return [
        SourceFile(f"{name}/{path.relative_to(folder).as_posix()}", path, path.stat().st_size)
        for path in sorted(paths)
        if path.is_file()
    ]


def _is_document_file(part: SourceFile) -> bool:
    """Dumps such as OpenAlex's have files with .gz as their only ending."""
    file = part.name.rpartition("/")[2]
    return file.endswith(ENDINGS) or (file.endswith(".gz") and file.count(".") == 1)


def _check_member(name: str, member: zipfile.ZipInfo) -> None:
    try:
        check_member(member)
    except BadArchive as error:
        raise SourceError(f"{name} is {error}") from error
    except TooLarge as error:
        raise SourceError(f"{name}: {error}.") from error


@contextmanager
def _archive_of(part: SourceFile, name: str) -> Iterator[zipfile.ZipFile | None]:
    """The zip that contains the part, or None."""
    if not part.member:
        yield None
        return
    with _zip_errors(name), zipfile.ZipFile(part.path) as archive:
        yield archive


@contextmanager
def _zip_errors(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise SourceError(
            f"{name} cannot be read as a zip ({error}). Compress it again."
        ) from error


def _document_files(inside: list[SourceFile], name: str) -> tuple[SourceFile, ...]:
    corpus = [part for part in inside if part.name.rpartition("/")[2] in BEIR_CORPUS]
    files = corpus or [part for part in inside if _is_document_file(part)]
    if not files and len(inside) == 1 and inside[0].member and not inside[0].name.endswith(".zip"):
        files = inside  # the only file of a zip, such as MED.ALL
    if not files:
        raise SourceError(
            f"{name} has no corpus.jsonl, no other file ending in {' or '.join(ENDINGS)}, and more "
            "or fewer files than one. Unpack it and import the files of documents."
        )
    if len(corpus) > 1:
        names = " and ".join(part.name for part in corpus[:2])
        raise SourceError(f"{name} has more than one corpus ({names}). Import one of them.")
    return tuple(files)


def _detect_format(part: SourceFile) -> str:
    with _archive_of(part, part.name) as archive, part.open(archive) as stream:
        return detect_format(cast("Path | BinaryIO", stream), name=part.name)
