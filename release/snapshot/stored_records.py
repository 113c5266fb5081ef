"""Records on disk, written once and read in order any number of times.

A release has half a million records of some kinds. In memory they would take a gigabyte.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Generic, TypeVar
from weakref import finalize

from django.conf import settings

from bundle.zip.interruption import check_interruption
from web.disk import discard

Record = TypeVar("Record")
Other = TypeVar("Other")
Row = tuple[Any, ...]

WRITTEN_TOGETHER = 500  # rows; together they can name a value they share once


class _RowFile:
    """A temporary file, deleted when the last records that read it are gone."""

    def __init__(self, folder: Path) -> None:
        self.file: BinaryIO = TemporaryFile(dir=folder)  # noqa: SIM115 - the finalizer closes it
        finalize(self, discard, self.file)


class StoredRecords(Generic[Record]):
    """Rows of plain values in a file of their own, each read as a record."""

    def __init__(self, rows: Iterable[Row], read_as: Callable[[Row], Record]) -> None:
        """Write the rows.

        Raises:
            OSError: the release folder is full or cannot be written.
        """
        folder = Path(settings.RELEASE_DIR)
        folder.mkdir(parents=True, exist_ok=True)
        self._rows = _RowFile(folder)
        self._read_as = read_as
        self._length = 0
        every = iter(rows)
        while some := list(islice(every, WRITTEN_TOGETHER)):
            check_interruption()
            pickle.dump(some, self._rows.file, pickle.HIGHEST_PROTOCOL)
            self._length += len(some)
        self._end = self._rows.file.tell()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Record]:
        place = 0  # of this reader, because others may read meanwhile
        while place < self._end:
            check_interruption()
            self._rows.file.seek(place)
            rows = pickle.load(self._rows.file)
            place = self._rows.file.tell()
            yield from map(self._read_as, rows)

    def reading(self, read_as: Callable[[Row], Other]) -> StoredRecords[Other]:
        """The same rows, read as other records."""
        other = StoredRecords.__new__(StoredRecords)
        other._rows, other._read_as = self._rows, read_as
        other._length, other._end = self._length, self._end
        return other
