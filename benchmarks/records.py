"""The contents of a benchmark's files, and how files are found and read. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import BadLine, DocumentLine, Reading
from corpus.formats.sources import Source, WrappedSource
from web.errors import UserFacingError

PUBLISHED = "published"  # the source of candidates whose origin the files do not tell
CHUNK = 1024 * 1024


class BenchmarkError(UserFacingError):
    """A file is missing or is not as its benchmark was published. Nothing is imported."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as published. Queries are named by `pools`, in the order of the files.

    `pools`: query to docno to the source that drew it. `grades`: query to docno to grade, from 0 to
    `highest_grade`; a pooled document without a grade was not labelled. `topics` has the text of
    each query that is no document. `fields` has the field of each query paper that the files name.
    `forced` are the sources of known positives. `files` has the SHA-256 of each file by its name,
    and `notes` say what was left out.
    `licence` is that of the texts, where the publisher states one.
    """

    title: str
    description: str
    origin: str
    highest_grade: int
    documents: Source
    files: Mapping[str, str]
    pools: Mapping[str, Mapping[str, str]]
    grades: Mapping[str, Mapping[str, int]]
    topics: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    forced: tuple[str, ...] = ()
    licence: str = ""
    notes: tuple[str, ...] = ()


class Reader(Protocol):
    def __call__(self, folder: Path) -> Benchmark: ...


@dataclass
class WithFields(WrappedSource):
    """The documents of a source. Query papers have the field that the benchmark gives them."""

    fields: Mapping[str, str]

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        for line in self.source.lines(meter, reading):
            if isinstance(line, DocumentLine) and line.record.docno in self.fields:
                record = line.record._replace(fields=(self.fields[line.record.docno],))
                line = line._replace(record=record)
            yield line


def one_file(folder: Path, *patterns: str) -> Path:
    """The only file that matches the first pattern that any file matches, or `folder` as a file.

    Raises:
        BenchmarkError: there is no such file, or there are several.
    """
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise BenchmarkError(f"{folder} does not exist. Name the folder with the files.")
    for pattern in patterns:
        found = sorted(path for path in folder.rglob(pattern) if path.is_file())
        if len(found) > 1:
            names = ", ".join(str(path.relative_to(folder)) for path in found[:3])
            raise BenchmarkError(f"{folder} has several files {pattern}: {names}. Leave one there.")
        if found:
            return found[0]
    raise BenchmarkError(f"{folder} has no file {' or '.join(patterns)}. Download it there.")


def sha256_of(path: Path) -> str:
    """SHA-256 (hex) of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def json_of(path: Path, expected: type) -> Any:
    """The JSON of a file. Raises BenchmarkError unless it is a value of the type `expected`."""
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{path.name} is not JSON: {error}. Download it again.") from error
    if not isinstance(value, expected):
        noun = "an object" if expected is dict else "a list"
        raise BenchmarkError(f"{path.name} must be {noun}, got {type(value).__name__}.")
    return value


def checked(path: Path, place: str, value: Any, expected: type | tuple[type, ...]) -> Any:
    """The value, which is at `place` of the file. Raises BenchmarkError for another type."""
    if not isinstance(value, expected) or isinstance(value, bool):
        types = expected if isinstance(expected, tuple) else (expected,)
        names = " or ".join(each.__name__ for each in types)
        raise BenchmarkError(f"{path.name}, {place}: must be {names}, got {value!r:.60}.")
    return value
