"""Reading files that may be packed with gzip, with a limit on what they unpack to. Pure."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

GZIP_MAGIC = b"\x1f\x8b"
CHUNK = 64 * 1024  # bytes, unpacked, between two reports; blank lines are the slowest to go through
MEGABYTE = 1024 * 1024


class UnreadableLine(ValueError):
    """A line of a file cannot be read; `number` counts from 1, `reason` says why and what to do."""

    def __init__(self, number: int, reason: str) -> None:
        self.number, self.reason = number, reason
        super().__init__(f"line {number}: {reason}")


class TooLarge(ValueError):
    """A file unpacks to more than is allowed; the message is a reason, without the file's name."""

    def __init__(self, limit: int, advice: str) -> None:
        self.limit = limit
        super().__init__(
            f"more than {limit / MEGABYTE:,.6g} MB when unpacked, which is the limit; {advice}"
        )


def _ignore(bytes_read: int) -> None:
    pass


@dataclass
class Meter:
    """What an import reads, over all of its files.

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
            raise TooLarge(self.limit, self.advice)
        self.report()

    @property
    def done(self) -> int:
        """How many bytes were read so far, as stored."""
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


@contextmanager
def open_unpacked(source: Path | str | BinaryIO, meter: Meter | None = None) -> Iterator[BinaryIO]:
    """The content of a file, plain or gzip by its first bytes.

    `source` is a path, or a seekable stream, which is left open.

    Raises:
        TooLarge: while it is read, where it passes the meter's limit.
        EOFError, gzip.BadGzipFile, zlib.error: while it is read, where gzip data are damaged.
    """
    meter = meter or Meter()
    if isinstance(source, Path | str):
        with Path(source).open("rb") as stored, open_unpacked(stored, meter) as stream:
            yield stream
        return
    start = source.tell()
    magic = source.read(len(GZIP_MAGIC))
    source.seek(start)
    stream = cast(BinaryIO, gzip.GzipFile(fileobj=source)) if magic == GZIP_MAGIC else source
    yield cast(BinaryIO, io.BufferedReader(_Metered(stream, source, meter), CHUNK))
    meter.next_file()


def numbered_lines(
    source: Path | str | BinaryIO, meter: Meter | None, *, longest: int
) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, with its line end, without a byte order mark.

    A longer line than `longest` bytes comes in parts of `longest` + 1 bytes.

    Raises:
        UnreadableLine: the file passes the meter's limit, or its gzip data are damaged.
    """
    number = 0
    try:
        with open_unpacked(source, meter) as stream:
            while line := stream.readline(longest + 1):
                number += 1
                yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
    except TooLarge as error:
        raise UnreadableLine(number + 1, str(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        reason = f"the gzip data are damaged or cut short ({error}). Compress the file again."
        raise UnreadableLine(number + 1, reason) from error
