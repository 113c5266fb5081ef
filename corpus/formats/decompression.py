"""Reading files that may be packed with gzip or zip, with a limit on what they unpack to. Pure."""

from __future__ import annotations

import codecs
import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
UNREADABLE = b"\xff"  # no character of UTF-8 has this byte, so reading it as text is an error
DAMAGED = (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error)
ENCRYPTED = 0x1  # bit of a zip member's flags
CHUNK = 64 * 1024  # bytes, unpacked, between two reports; blank lines are the slowest to go through
MEGABYTE = 1024 * 1024
# Text is packed to a twentieth at most. What is packed far more was made to fill a server.
LARGEST_RATIO = 200
SMALL = 64 * MEGABYTE  # bytes, unpacked, that may have any ratio


class UnreadableLine(ValueError):
    """A line of a file cannot be read; `number` counts from 1, `reason` says why and what to do."""

    def __init__(self, number: int, reason: str) -> None:
        self.number, self.reason = number, reason
        super().__init__(f"line {number}: {reason}")


class TooLarge(ValueError):
    """A file unpacks to more than is allowed; the message is a reason, without the file's name."""

    @classmethod
    def than(cls, limit: int, advice: str) -> TooLarge:
        return cls(
            f"more than {limit / MEGABYTE:,.6g} MB when unpacked, which is the limit; {advice}"
        )

    @classmethod
    def for_its_size(cls) -> TooLarge:
        return cls(
            f"more than {LARGEST_RATIO} times its size when unpacked, so it is hardly a text; "
            "check the file, or unpack it before you import it"
        )


def check_ratio(unpacked: int, stored: int) -> None:
    """Raise TooLarge if so many bytes, packed into so few, can hardly be a text."""
    if unpacked > SMALL and unpacked > LARGEST_RATIO * stored:
        raise TooLarge.for_its_size()


class BadArchive(zipfile.BadZipFile):
    """A zip cannot be read as one file; the message says why and what to do."""


def check_member(member: zipfile.ZipInfo) -> None:
    """Raise BadArchive or TooLarge for a member of a zip that must not be unpacked."""
    if member.flag_bits & ENCRYPTED:
        raise BadArchive("encrypted. Compress it again without a password.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # An LZMA header can request a dictionary of 4 GB, which is allocated at once.
        raise BadArchive(
            "compressed with a method other than deflate. Compress it again as an ordinary zip."
        )
    check_ratio(member.file_size, member.compress_size)


def files_in(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of a zip by name, without those that macOS adds."""
    return [
        member
        for member in sorted(archive.infolist(), key=lambda member: member.filename)
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]


def damage(error: Exception) -> str:
    """The words for one of the DAMAGED errors: a reason, without the file's name."""
    if isinstance(error, BadArchive):
        return str(error)
    kind = "zip" if isinstance(error, zipfile.BadZipFile) else "gzip"
    return f"the {kind} data are damaged or cut short ({error}). Compress the file again."


def _ignore(bytes_read: int) -> None:
    pass


@dataclass
class Meter:
    """A meter of the bytes that an import reads, over all of its files.

    `on_read` is told how many bytes were read, as stored, after every CHUNK of unpacked ones,
    whether they hold anything of use or not; it may raise to stop the import. `limit` is in bytes,
    unpacked; `advice` tells what to do about it.
    """

    on_read: Callable[[int], None] = _ignore
    limit: int | None = None
    advice: str = "import it in parts"
    unpacked: int = 0
    _bytes_before_file: int = 0
    _bytes_in_file: int = 0

    def count(self, unpacked: int, stored: int) -> None:
        """Note that so many bytes were unpacked, and where in the stored file reading is now."""
        self.unpacked += unpacked
        self._bytes_in_file = stored
        if self.limit is not None and self.unpacked > self.limit:
            raise TooLarge.than(self.limit, self.advice)
        check_ratio(self.unpacked, self.done)
        self.report()

    @property
    def done(self) -> int:
        """The number of bytes read so far, as stored."""
        return self._bytes_before_file + self._bytes_in_file

    def report(self) -> None:
        self.on_read(self.done)

    def next_file(self) -> None:
        self._bytes_before_file += self._bytes_in_file
        self._bytes_in_file = 0


class _Metered(io.RawIOBase):
    def __init__(self, stream: BinaryIO, stored: BinaryIO, meter: Meter) -> None:
        self._stream, self._stored, self._meter = cast(io.BufferedIOBase, stream), stored, meter

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        # read1: what comes before damaged data is still handed out, so errors name the right line.
        content = self._stream.read1(min(len(buffer), CHUNK))
        buffer[: len(content)] = content
        self._meter.count(len(content), self._stored.tell())
        return len(content)


class _Utf8(io.RawIOBase):
    """A stream in UTF-16 as UTF-8. What is not UTF-16 becomes bytes that are not UTF-8, so that
    the reader reports them with their line."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream, self._rest = stream, b""
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            content = self._stream.read(CHUNK)
            self._rest = self._decoder.decode(content).encode("utf-8", "surrogatepass")
            if not content:
                is_cut = bool(self._decoder.getstate()[0])
                self._decoder.reset()
                self._rest += UNREADABLE if is_cut else b""
                break
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


@contextmanager
def open_unpacked(
    source: Path | str | BinaryIO, meter: Meter | None = None, *, as_utf8: bool = True
) -> Iterator[BinaryIO]:
    """The content of a file, plain, gzip or the only file of a zip by its first bytes.

    `source` is a path, or a seekable stream, which is left open and never a zip. `as_utf8` turns
    UTF-16 with a byte order mark into UTF-8.

    Raises:
        TooLarge: while it is read, where it passes the meter's limit.
        DAMAGED: while it is read, where packed data are damaged; or a zip holds several files.
    """
    meter = meter or Meter()
    if isinstance(source, Path | str):
        with Path(source).open("rb") as stored:
            is_zip = stored.read(len(ZIP_MAGIC)) == ZIP_MAGIC
            stored.seek(0)
            if not is_zip:
                with open_unpacked(stored, meter, as_utf8=as_utf8) as stream:
                    yield stream
                return
            with _only_member(stored) as member:
                yield _text_stream(_metered(member, stored, meter), as_utf8=as_utf8)
            meter.next_file()
        return
    start = source.tell()
    magic = source.read(len(GZIP_MAGIC))
    source.seek(start)
    stream = cast(BinaryIO, gzip.GzipFile(fileobj=source)) if magic == GZIP_MAGIC else source
    yield _text_stream(_metered(stream, source, meter), as_utf8=as_utf8)
    meter.next_file()


def _metered(stream: BinaryIO, stored: BinaryIO, meter: Meter) -> io.BufferedReader:
    return io.BufferedReader(_Metered(stream, stored, meter), CHUNK)


def _text_stream(stream: io.BufferedReader, *, as_utf8: bool) -> BinaryIO:
    if not as_utf8:
        return cast(BinaryIO, stream)
    encoding = UTF_16.get(stream.peek(2)[:2])
    if encoding is None:
        return cast(BinaryIO, stream)
    return cast(BinaryIO, io.BufferedReader(_Utf8(cast(BinaryIO, stream), encoding), CHUNK))


@contextmanager
def _only_member(stored: BinaryIO) -> Iterator[BinaryIO]:
    """The stream of the only file in a zip. Raises BadArchive, TooLarge."""
    try:
        with zipfile.ZipFile(stored) as archive:
            members = files_in(archive)
            if len(members) != 1:
                names = ", ".join(member.filename for member in members[:3])
                found = f"{len(members):,} files ({names}{', …' if members[3:] else ''})"
                raise BadArchive(
                    f"a zip must have one file here, got {found if members else 'none'}. "
                    "Unpack it and choose the file that you need."
                )
            check_member(members[0])
            with archive.open(members[0]) as stream:
                yield cast(BinaryIO, stream)
    except (NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise zipfile.BadZipFile(str(error)) from error


def numbered_lines(
    source: Path | str | BinaryIO, meter: Meter | None, *, longest: int
) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, with its line end, without a byte order mark.

    A longer line than `longest` bytes comes in parts of `longest` + 1 bytes.

    Raises:
        UnreadableLine: the file passes the meter's limit, or its packed data are damaged.
    """
    number = 0
    try:
        with open_unpacked(source, meter) as stream:
            while line := stream.readline(longest + 1):
                number += 1
                yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
    except TooLarge as error:
        raise UnreadableLine(number + 1, str(error)) from error
    except DAMAGED as error:
        raise UnreadableLine(number + 1, damage(error)) from error
