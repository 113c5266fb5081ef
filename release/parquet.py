"""Parquet files whose bytes depend on their rows only.

Nothing is compressed, as in the zip: what a compressor makes differs between its versions. There
are no statistics and no schema of Arrow's own, and row groups have a fixed number of rows. A file
names the version of pyarrow that wrote it, so the requirements name one version
(docs/adr/0033-pyarrow.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from release.bundle import StoredFile
from release.draft_files import DraftFile, DraftFolder
from web.lazy import parquet
from web.lazy import pyarrow as pa

ROWS_TOGETHER = 5000  # of a row group
Columns = dict[str, str]  # by name; a value of TYPES
TEXT, TEXTS, INTEGER, INTEGERS, NUMBER = "text", "texts", "integer", "integers", "number"
Row = Sequence[Any]


def _schema(columns: Columns) -> pa.Schema:
    types = {
        TEXT: pa.string(),
        TEXTS: pa.list_(pa.string()),
        INTEGER: pa.int32(),
        INTEGERS: pa.list_(pa.int32()),
        NUMBER: pa.float64(),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


class ParquetDraft:
    """A Parquet file that is being written, row by row; a group of rows is in memory."""

    def __init__(self, folder: DraftFolder, columns: Columns) -> None:
        self._schema = _schema(columns)
        self._draft = folder.draft()
        self._writer = parquet.ParquetWriter(
            pa.PythonFile(_Target(self._draft), mode="w"),
            self._schema,
            version="2.6",
            compression="NONE",
            use_dictionary=False,
            write_statistics=False,
            store_schema=False,
            data_page_version="1.0",
        )
        self._rows: list[Row] = []

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows; each has a value for every column."""
        every = iter(rows)
        while some := list(islice(every, ROWS_TOGETHER - len(self._rows))):
            self._rows += some
            if len(self._rows) == ROWS_TOGETHER:
                self._write_group()

    def stored(self) -> StoredFile:
        """The file with all rows. Nothing is written after this."""
        if self._rows:
            self._write_group()
        self._writer.close()
        return self._draft.stored()

    def _write_group(self) -> None:
        columns = zip(*self._rows, strict=True)
        arrays = [
            pa.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows = []


def write_parquet(folder: DraftFolder, columns: Columns, rows: Iterable[Row]) -> StoredFile:
    draft = ParquetDraft(folder, columns)
    draft.write(rows)
    return draft.stored()


class _Target:
    """What pyarrow writes to. It goes through the draft, which needs every byte for its digest."""

    closed = False

    def __init__(self, draft: DraftFile) -> None:
        self._draft = draft
        self._size = 0

    def write(self, content: bytes) -> int:
        self._draft.write(content)
        self._size += len(content)
        return len(content)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        """The draft writes to a file of the folder, and closes it at its end."""

    def close(self) -> None:
        self.closed = True
