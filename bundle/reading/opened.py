"""A release from elsewhere, opened for reading: its zip, or the folder it unpacks to.

Nothing is unpacked, and nothing in it is trusted: names are checked, and a zip cannot grow when it
is read. Pure.
"""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from bundle.zip.writing import NAME
from web.errors import UserFacingError

ENCRYPTED = 0x1  # bit of a zip entry's flags
# Limits, because a byte of JSON can take 25 bytes of memory: `[[],[],…` is a list for three bytes.
LARGEST_WHOLE = 32 * 1024 * 1024  # bytes of a file that is read as a whole
LONGEST_LINE = 16 * 1024 * 1024  # bytes, as of an import of documents
READ_TOGETHER = 256 * 1024  # bytes of lines
MOST_VALUES = 4_000_000  # of a JSON text: 500 MB at most


NOT_OURS = "Ask the publisher of the release how the file was made."


class BundleError(UserFacingError, ValueError):
    """A release cannot be read. `line` counts from 1; it is None for a file as a whole."""

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        self.file, self.line, self.reason = file, line, reason
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {reason}" if place else reason)


class OpenedBundle(Protocol):
    """The files of a release by their names, as in its SHA256SUMS."""

    @property
    def names(self) -> frozenset[str]: ...

    def size(self, name: str) -> int:
        """Bytes of a file."""

    def open(self, name: str) -> BinaryIO:
        """A file from its beginning. Raises BundleError if there is none."""


class ZipBundle:
    """The zip of a release. Its files are stored, so none has more bytes than the zip."""

    def __init__(self, file: BinaryIO) -> None:
        size = file.seek(0, io.SEEK_END)
        self._archive = zipfile.ZipFile(file)
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for entry in self._archive.infolist():
            if not entry.is_dir():
                self._add(entry)
        if sum(entry.file_size for entry in self._entries.values()) > size:
            raise BundleError(
                "", None, "Files in this zip overlap, so it was not written by Qrelsmith."
            )

    def _add(self, entry: zipfile.ZipInfo) -> None:
        name = entry.filename
        if not NAME.fullmatch(name):
            raise BundleError(
                "",
                None,
                f"The zip has a file with the name {name[:200]!r}, which no release has. "
                "Download the release again.",
            )
        if name in self._entries:
            raise BundleError("", None, f"The zip has two files with the name {name}.")
        if entry.flag_bits & ENCRYPTED:
            raise BundleError(name, None, "is encrypted. Unpack the zip and give the folder.")
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise BundleError(
                name,
                None,
                "is compressed, but the zip of a release is not. If another program packed it "
                "again, unpack it and give the folder.",
            )
        self._entries[name] = entry

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._entries)

    def size(self, name: str) -> int:
        return self._entries[name].file_size

    def open(self, name: str) -> BinaryIO:
        try:
            # Its own `readline` is written in Python and takes ten times as long.
            file = cast(io.RawIOBase, self._archive.open(self._entries[name]))
            return io.BufferedReader(file, READ_TOGETHER)
        except KeyError:
            raise _missing(name) from None
        except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
            raise BundleError(name, None, f"cannot be read ({error}).") from error


class FolderBundle:
    """The folder that the zip of a release unpacks to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes: dict[str, int] = {}
        for path in sorted(folder.rglob("*")):
            name, about = path.relative_to(folder).as_posix(), path.lstat()
            if stat.S_ISREG(about.st_mode):
                self._sizes[name] = about.st_size
            elif not stat.S_ISDIR(about.st_mode):
                raise BundleError(name, None, "is a link or a device. Unpack the release again.")

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._sizes)

    def size(self, name: str) -> int:
        return self._sizes[name]

    def open(self, name: str) -> BinaryIO:
        if name not in self._sizes:
            raise _missing(name)
        try:
            return (self._folder / name).open("rb")
        except OSError as error:
            raise BundleError(name, None, f"cannot be read ({error.strerror}).") from error


def _missing(name: str) -> BundleError:
    return BundleError(name, None, "is missing. Download the release again.")


@contextmanager
def open_bundle(path: Path) -> Iterator[OpenedBundle]:
    """The release at the path, a zip or a folder.

    Raises:
        BundleError: it is neither, or has names or files that no release has.
    """
    with ExitStack() as files:
        try:
            bundle = _opened(path, files)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise BundleError(
                str(path), None, f"the zip is damaged ({error}). Download the release again."
            ) from error
        except OSError as error:
            reason = f"cannot be read ({error.strerror or error})."
            raise BundleError(str(path), None, reason) from error
        yield bundle


def _opened(path: Path, files: ExitStack) -> OpenedBundle:
    if path.is_dir():
        return FolderBundle(path)
    if not zipfile.is_zipfile(path):
        problem = "is not a zip" if path.exists() else "does not exist"
        raise BundleError(
            str(path), None, f"{problem}. Give the zip of a release, or its unpacked folder."
        )
    # Opened here, so that it is closed even if a reader stopped in the middle of a file of the zip.
    return ZipBundle(files.enter_context(path.open("rb")))


AsObject = Callable[[list[tuple[str, Any]]], Any]


def read_json(bundle: OpenedBundle, name: str, as_object: AsObject | None = None) -> Any:
    """A file as JSON, as `parsed_json`. Raises BundleError if it is missing or too large."""
    return parsed_json(read_whole(bundle, name), name, as_object=as_object)


def parsed_json(
    content: str | bytes, name: str, line: int | None = None, as_object: AsObject | None = None
) -> Any:
    """The value of a JSON text. Raises BundleError if it is not JSON, or too large for memory.

    `as_object` makes the value of each object, so that what is not needed is dropped early.
    """
    if len(content) > MOST_VALUES and _most_values(content) > MOST_VALUES:
        raise BundleError(name, line, f"has more than {MOST_VALUES:,} values. {NOT_OURS}")
    try:
        return json.loads(content, object_pairs_hook=as_object)
    except RecursionError:
        raise BundleError(name, line, f"has too many nested brackets. {NOT_OURS}") from None
    except ValueError as error:
        raise BundleError(name, line, f"is not valid JSON ({error}).") from error


def _most_values(content: str | bytes) -> int:
    """Every value but the first follows one of these characters, which texts can have too."""
    whole = content.encode() if isinstance(content, str) else content
    return 1 + sum(map(whole.count, (b",", b"[", b"{")))


def read_whole(bundle: OpenedBundle, name: str) -> bytes:
    """The bytes of a file. Raises BundleError if it is missing, too large or damaged."""
    with bundle.open(name) as file:
        if bundle.size(name) > LARGEST_WHOLE:
            raise BundleError(
                name,
                None,
                f"has {bundle.size(name):,} bytes. Files of its kind can have {LARGEST_WHOLE:,}. "
                f"{NOT_OURS}",
            )
        try:
            return file.read(LARGEST_WHOLE)
        except (zipfile.BadZipFile, OSError, EOFError) as error:
            raise BundleError(
                name, None, f"is damaged ({error}). Download the release again."
            ) from error


def read_lines(bundle: OpenedBundle, name: str) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers, without line ends. Raises as `whole_lines`."""
    for first, lines, _ in _line_blocks(bundle, name):
        for number, line in enumerate(lines, start=first):
            yield number, line.rstrip("\r")


def whole_lines(bundle: OpenedBundle, name: str) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers and their own line ends.

    Raises BundleError if the file is missing, damaged or not UTF-8, or if a line is too long.
    """
    for first, lines, end in _line_blocks(bundle, name):
        for number, line in enumerate(lines, start=first):
            yield number, f"{line}{end}"


def _line_blocks(bundle: OpenedBundle, name: str) -> Iterator[tuple[int, list[str], str]]:
    """The number of the first of some lines, the lines, and the line end that all of them have.

    Many lines are decoded at once: one by one, they take three times as long.
    """
    with bundle.open(name) as file:
        first, rest = 1, b""
        while True:
            try:
                block = file.read(READ_TOGETHER)
            except (zipfile.BadZipFile, OSError, EOFError) as error:
                raise BundleError(name, first, f"is damaged ({error}).") from error
            whole, end, rest = (rest + block).rpartition(b"\n") if block else (rest, b"", b"")
            if len(rest) >= LONGEST_LINE:
                raise _too_long(name, first + whole.count(b"\n") + len(end))
            if whole or end:
                lines = _decoded(name, first, whole).split("\n")
                if len(whole) >= LONGEST_LINE:
                    _check_lengths(name, first, lines)
                yield first, lines, end.decode()
                first += len(lines)
            if not block:
                return


def _decoded(name: str, first: int, lines: bytes) -> str:
    try:
        return lines.decode()
    except UnicodeDecodeError as error:
        before = lines[: error.start]
        place = error.start - before.rfind(b"\n")
        line = first + before.count(b"\n")
        raise BundleError(name, line, f"is not UTF-8 at byte {place}.") from error


def _check_lengths(name: str, first: int, lines: list[str]) -> None:
    for number, line in enumerate(lines, start=first):
        if len(line.encode()) >= LONGEST_LINE:
            raise _too_long(name, number)


def _too_long(name: str, line: int) -> BundleError:
    return BundleError(name, line, f"has more than {LONGEST_LINE:,} bytes.")
