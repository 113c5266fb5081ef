"""Where documents come from: a file, a folder or a zip of files, in one of some formats. Pure."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, cast

from corpus.formats import BadLine, DocumentFormatError, DocumentLine, Problem, Shape, read_lines
from corpus.formats import first_object as _first_object
from corpus.shapes import SHAPES

AUTO = "auto"
FORMATS = (AUTO, *SHAPES)
ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz")
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
        """What `size` and the lines' `offset` count."""

    @property
    def files(self) -> Sequence[str]:
        """What messages call each file."""

    @property
    def size(self) -> int | None:
        """How much there is, if that is known before it is read."""

    def lines(self) -> Iterator[DocumentLine | BadLine]: ...


class Part(NamedTuple):
    """A file of a source: what messages call it, where it lies, its size in bytes."""

    name: str
    path: Path
    size: int
    member: str = ""  # inside the zip at `path`

    def opened(self) -> AbstractContextManager[Path | BinaryIO]:
        if not self.member:
            return nullcontext(self.path)
        stack = ExitStack()
        archive = stack.enter_context(zipfile.ZipFile(self.path))
        stream = stack.enter_context(archive.open(self.member))
        return _Closing(stack, cast(BinaryIO, stream))


class _Closing(AbstractContextManager["Path | BinaryIO"]):
    def __init__(self, stack: ExitStack, stream: BinaryIO) -> None:
        self.stack, self.stream = stack, stream

    def __enter__(self) -> BinaryIO:
        return self.stream

    def __exit__(self, *exc: object) -> None:
        self.stack.close()


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

    def lines(self) -> Iterator[DocumentLine | BadLine]:
        before = 0
        for part in self.parts:
            with part.opened() as stream:
                for line in read_lines(stream, name=part.name, shape=self.shape):
                    yield line._replace(offset=before + line.offset) if before else line
            before += part.size


def open_source(path: Path, *, format_name: str = AUTO, name: str = "") -> FileSource:
    """The documents at `path`; `name` is what messages call it.

    A folder or a zip gives its `corpus.jsonl` if it has one, otherwise every file in it that ends
    like JSON Lines, by name. The format `auto` is told by the keys of the first line.

    Raises:
        SourceError: no such format, or nothing there that holds documents.
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
            Part(f"{name}/{one.name}", one, one.stat().st_size)
            for one in sorted(path.iterdir())
            if one.is_file()
        ]
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            inside = [
                Part(f"{name}/{one.filename}", path, one.file_size, one.filename)
                for one in sorted(archive.infolist(), key=lambda one: one.filename)
                if not one.is_dir() and not one.filename.startswith("__MACOSX/")
            ]
    else:
        return (Part(name, path, path.stat().st_size),)
    return _chosen(inside, name)


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
        with part.opened() as stream:
            content = _first_object(stream, name=part.name)
    except (Problem, DocumentFormatError):
        return "jsonl"  # reading it says what is wrong, and in which line
    return next((TELLING[key] for key in TELLING if key in content), "jsonl")
