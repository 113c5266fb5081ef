"""Where documents come from: a file, a folder or a zip of files, in one of some formats. Pure."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, cast

from corpus.formats import BadLine, DocumentFormatError, DocumentLine, Problem, Shape, read_lines
from corpus.formats import first_object as _first_object
from corpus.shapes import SHAPES
from corpus.unpacking import Meter

AUTO = "auto"
FORMATS = (AUTO, *SHAPES)
ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz")
ENCRYPTED = 0x1  # bit of a zip member's flags
BEIR_CORPUS = ("corpus.jsonl", "corpus.jsonl.gz")
# A line with one of these keys, and none of ours, is of that format.
TELLING = {"docno": "jsonl", "_id": "beir", "paper_id": "s2orc", "corpusid": "s2orc"}


class SourceError(Exception):
    """A file or folder that documents cannot be taken from; the message is for people."""

    is_for_people = True


class Source(Protocol):
    """Documents in the order they are to be stored."""

    @property
    def name(self) -> str:
        """What messages call the whole."""

    @property
    def unit(self) -> str:
        """What `size` counts, and what the meter is told."""

    @property
    def files(self) -> Sequence[str]:
        """What messages call each file."""

    @property
    def size(self) -> int | None:
        """How much there is, if that is known before it is read."""

    def lines(self, meter: Meter | None = None) -> Iterator[DocumentLine | BadLine]:
        """Read them; the meter is told how far reading got, and limits what is unpacked."""


class Part(NamedTuple):
    """A file of a source: what messages call it, where it lies, its size in bytes."""

    name: str
    path: Path
    size: int
    member: str = ""  # inside the zip at `path`

    def opened(self, archive: zipfile.ZipFile | None) -> AbstractContextManager[Path | IO[bytes]]:
        """The file itself, or its stream inside the zip, which is not unpacked anywhere."""
        return archive.open(self.member) if archive and self.member else nullcontext(self.path)


@dataclass(frozen=True)
class FileSource:
    """The lines of some files, one after the other."""

    name: str
    parts: tuple[Part, ...]
    shape: Shape
    unit: str = "bytes"

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def lines(self, meter: Meter | None = None) -> Iterator[DocumentLine | BadLine]:
        meter = meter or Meter()
        # A zip is opened once: with 20,000 members, reading its directory for each takes hours.
        with _archive_of(self.parts[0], self.name) as archive:
            for part in self.parts:
                with part.opened(archive) as stream:
                    yield from read_lines(
                        cast("Path | BinaryIO", stream),
                        name=part.name,
                        shape=self.shape,
                        meter=meter,
                    )


def open_source(path: Path, *, format_name: str = AUTO, name: str = "") -> FileSource:
    """The documents at `path`; `name` is what messages call it.

    A folder or a zip gives its `corpus.jsonl` if it has one, otherwise every file in it that ends
    like JSON Lines, by name. The format `auto` is told by the keys of the first line.

    Raises:
        SourceError: no such format, a zip that cannot be read, or nothing there that holds
            documents.
        OSError: it cannot be read.
    """
    if format_name not in FORMATS:
        raise SourceError(f"No format {format_name!r}; there are {', '.join(FORMATS)}.")
    name = name or path.name
    parts = _parts(path, name)
    chosen = _told(parts[0]) if format_name == AUTO else format_name
    return FileSource(name, parts, SHAPES[chosen])


def _parts(path: Path, name: str) -> tuple[Part, ...]:
    if path.is_dir():
        inside = [
            Part(f"{name}/{file.name}", file, file.stat().st_size)
            for file in sorted(path.iterdir())
            if file.is_file()
        ]
        return _chosen(inside, name)
    if not zipfile.is_zipfile(path):
        return (Part(name, path, path.stat().st_size),)
    with _zip_errors(name), zipfile.ZipFile(path) as archive:
        members = {
            f"{name}/{member.filename}": member
            for member in sorted(archive.infolist(), key=lambda member: member.filename)
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        }
    inside = [
        Part(shown, path, member.file_size, member.filename) for shown, member in members.items()
    ]
    chosen = _chosen(inside, name)
    for part in chosen:
        _check_member(part.name, members[part.name])
    return chosen


def _check_member(name: str, member: zipfile.ZipInfo) -> None:
    if member.flag_bits & ENCRYPTED:
        raise SourceError(f"{name} is encrypted; pack it again without a password.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The header of LZMA may ask for a dictionary of 4 GB, which is allocated at once.
        raise SourceError(
            f"{name} is packed with a method other than deflate; pack it again as an ordinary zip."
        )


@contextmanager
def _archive_of(part: Part, name: str) -> Iterator[zipfile.ZipFile | None]:
    """The zip that the part lies in, if it does."""
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
        raise SourceError(f"{name} cannot be read as a zip ({error}); pack it again.") from error


def _chosen(inside: list[Part], name: str) -> tuple[Part, ...]:
    corpus = [part for part in inside if part.name.rpartition("/")[2] in BEIR_CORPUS]
    found = corpus or [part for part in inside if part.name.endswith(ENDINGS)]
    if not found:
        raise SourceError(
            f"{name} holds no corpus.jsonl and no other file ending in {' or '.join(ENDINGS)}."
        )
    if len(corpus) > 1:
        both = " and ".join(part.name for part in corpus[:2])
        raise SourceError(f"{name} holds more than one corpus ({both}); import one of them.")
    return tuple(found)


def _told(part: Part) -> str:
    try:
        with _archive_of(part, part.name) as archive, part.opened(archive) as stream:
            content = _first_object(cast("Path | BinaryIO", stream), name=part.name)
    except (Problem, DocumentFormatError):
        return "jsonl"  # reading it says what is wrong, and in which line
    return next((TELLING[key] for key in TELLING if key in content), "jsonl")
