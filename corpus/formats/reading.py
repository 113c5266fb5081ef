"""Opening what people upload: plain, gzip or zip, UTF-8 or UTF-16, within limits. Pure.

A reader is a generator over the lines of a `TextFile`. What it cannot read it gives to `bad`, which skips the line
or ends the reading with file and line.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, Any, TypeVar

from web.errors import BadInput

# The limits of every upload; that of a whole file, unpacked, is a setting (UPLOAD_MAX_MB).
LONGEST = 16_000_000  # characters of a line, a JSON object or a tagged record: no abstract is longer
MOST_LINES = 20_000_000  # of an upload: 2 MB can unpack to a billion lines with nothing in them, an hour of reading
MOST_EMPTY = 1_000_000  # empty lines in a row
MOST_FILES = 20_000  # of a zip
MOST_REASONS = 10  # for skipped lines, in a result
FIRST_ROWS = 10  # of a preview
LONGEST_ID = 200  # characters, as in the database

Row = TypeVar("Row")
DAMAGED = (EOFError, OSError, UnicodeDecodeError, NotImplementedError, struct.error, zipfile.BadZipFile, zlib.error)
UNREADABLE = re.compile("[\0\udc80-\udcff]")  # NUL, and bytes that are not UTF-8 (surrogateescape)
BINARY = {
    b"PK\x03\x04": "a zip",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"(\xb5/\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
    b"\x93NUMPY": "a NumPy array",
}
NO_DATA = re.compile(r"(^|/)(\.|__MACOSX/|readme|license)|\.(md|pdf)$", re.IGNORECASE)  # members of a zip


class Problem(Exception):
    """What is wrong with a line, before its file and number are known."""


class BadLines:
    """Up to `allowed` wrong lines are skipped and counted; one more is an error. The first reasons are kept."""

    def __init__(self, allowed: int = 0) -> None:
        self.allowed = allowed
        self.count = self.harmless = 0
        self.reasons: list[str] = []

    def add(self, place: str, reason: str, *, harmless: bool = False) -> None:
        """`harmless` lines, such as an empty record at a file's end, are skipped without being allowed."""
        self.count += 1
        self.harmless += harmless
        if self.count - self.harmless > self.allowed:
            more = f" More than {self.allowed:,} lines are wrong." if self.allowed else ""
            raise BadInput(f"{place}: {reason}{more}")
        if len(self.reasons) < MOST_REASONS:
            self.reasons.append(f"{place}: {reason}")


def first_rows(rows: Iterator[Row], bad_lines: BadLines) -> list[Row]:
    """The first ten rows, also of a file that has an error behind them. Without any, what is wrong first."""
    read: list[Row] = []
    try:
        read += islice(rows, FIRST_ROWS)
    except BadInput as error:
        if not read:
            raise BadInput(bad_lines.reasons[0] if bad_lines.reasons else str(error)) from error
        bad_lines.reasons.append(str(error))
    return read


class TextFile:
    """A file of an upload, or of the zip that was uploaded."""

    def __init__(self, name: str, stream: io.RawIOBase, bad_lines: BadLines) -> None:
        self.name, self.bad_lines = name, bad_lines
        buffered = io.BufferedReader(stream, 65_536)
        start = buffered.peek(6)
        if kind := next((kind for mark, kind in BINARY.items() if start.startswith(mark)), ""):
            raise BadInput(f"{name} is {kind}. Upload text, or text packed once as .gz or .zip.")
        is_utf16 = start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        encoding, errors = ("utf-16", "strict") if is_utf16 else ("utf-8-sig", "surrogateescape")
        self._text = io.TextIOWrapper(buffered, encoding, errors, newline="\n")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line that can be read, with its number from 1 and its line end."""
        number = empty = 0
        try:
            while line := self._text.readline(LONGEST + 1):
                number += 1
                empty = empty + 1 if line.isspace() else 0
                if empty > MOST_EMPTY:
                    raise BadInput(f"{self.name}:{number}: more than {MOST_EMPTY:,} empty lines. Remove them.")
                if len(line) > LONGEST:
                    raise BadInput(f"{self.name}:{number}: the line has more than {LONGEST:,} characters.")
                if "\0" in line or (not line.isascii() and UNREADABLE.search(line)):
                    self.bad(number, _why_unreadable(line))
                else:
                    yield number, line
        except UnicodeDecodeError as error:
            raise BadInput(f"{self.name}:{number + 1}: not UTF-16, though the file begins with its mark.") from error
        except DAMAGED as error:
            reason = f"the packed file is damaged or cut short ({error}). Upload it again."
            raise BadInput(f"{self.name}:{number + 1}: {reason}") from error

    def bad(self, line: int, reason: str) -> None:
        self.bad_lines.add(f"{self.name}:{line}", reason)


def _why_unreadable(line: str) -> str:
    if "\0" in line:
        return "the line has NUL characters. Save the file as UTF-8."
    place = len(line[: UNREADABLE.search(line).start()].encode()) + 1  # type: ignore[union-attr]
    return f"not UTF-8 at byte {place} of the line. Save the file as UTF-8."


class _Bounded(io.RawIOBase):
    """Reads a stream until all files of the upload together have more bytes or lines than `budget`."""

    def __init__(self, stream: IO[bytes], name: str, budget: list[int]) -> None:
        self._name, self._budget = name, budget
        self._read = getattr(stream, "read1", stream.read)  # read1 gives what comes before damaged data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._read(len(buffer))
        self._budget[0] -= len(content)
        self._budget[1] -= content.count(b"\n")
        if min(self._budget) < 0:
            raise BadInput(f"{self._name} is larger, unpacked, than this server allows. Import it in parts.")
        buffer[: len(content)] = content
        return len(content)


def text_files(stored: IO[bytes], name: str, bad_lines: BadLines, limit: int, main: str) -> Iterator[TextFile]:
    """The file itself, unpacked; of a zip each file by name, or only those called `main` where there are any.

    `limit` is in bytes, unpacked, of all files together. Formats are told by content, so names matter little.
    """
    budget = [limit, MOST_LINES]
    try:
        is_zip = stored.read(4) == b"PK\x03\x04"
        stored.seek(0)
        if not is_zip:
            yield TextFile(name, _Bounded(_unpacked(stored), name, budget), bad_lines)
            return
        end = zipfile._EndRecData(stored)  # type: ignore[attr-defined]
        if end and end[zipfile._ECD_SIZE] > MOST_FILES * 1_000:  # type: ignore[attr-defined]
            raise BadInput(f"{name} has too many files. Put at most {MOST_FILES:,} into a zip.")
        with zipfile.ZipFile(stored) as archive:  # reads the list of files into memory
            for member in _members(archive, name, main):
                with archive.open(member) as packed:
                    inner = f"{name}/{member.filename}"
                    stream = _Bounded(_unpacked(packed), inner, budget)
                    yield TextFile(inner, stream, bad_lines)
    except DAMAGED as error:
        raise BadInput(f"{name}: the packed file is damaged or cut short ({error}). Upload it again.") from error


def only_file(stored: IO[bytes], name: str, limit: int) -> Iterator[TextFile]:
    """Of an upload that must be one file; a second one is an error once the first is read."""
    files = text_files(stored, name, BadLines(), limit, main="")
    yield next(files)
    if next(files, None):
        raise BadInput(f"{name} holds more than one file. Import one at a time.")


def _unpacked(stream: IO[bytes]) -> IO[bytes]:
    is_gzip = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    return gzip.GzipFile(fileobj=stream) if is_gzip else stream  # type: ignore[return-value]


def _members(archive: zipfile.ZipFile, name: str, main: str) -> list[zipfile.ZipInfo]:
    files = sorted((each for each in archive.infolist() if not each.is_dir()), key=lambda each: each.filename)
    named = [each for each in files if each.filename.rpartition("/")[2] in (main, f"{main}.gz")]
    files = named or [each for each in files if not NO_DATA.search(each.filename)]
    if not files:
        raise BadInput(f"{name} has no files with data in it.")
    refuse_unusual(files, name)
    return files


def refuse_unusual(members: Sequence[zipfile.ZipInfo], name: str) -> None:
    if len(members) > MOST_FILES:
        raise BadInput(f"{name} has {len(members):,} files. Put at most {MOST_FILES:,} into a zip.")
    for member in members:
        if member.flag_bits & 1:
            raise BadInput(f"{name}/{member.filename} is encrypted. Pack it again without a password.")
        # An LZMA header can ask for a dictionary of 4 GB, which is allocated at once.
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadInput(f"{name}/{member.filename} is packed in an unusual way. Pack it as an ordinary zip.")
