"""Parquet files whose bytes depend on their rows only.

Nothing is compressed, as in the zip: what a compressor makes differs between its versions. There
are no statistics and no schema of Arrow's own, and row groups have a fixed number of rows. A file
names the version of pyarrow that wrote it, so the requirements name one version
(docs/adr/0033-pyarrow.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, islice
from typing import Any

from bundle.zip.draft_files import DraftFile, DraftFolder
from bundle.zip.writing import StoredFile
from web.lazy import parquet
from web.lazy import pyarrow as pa

ROWS_TOGETHER = 1000  # of a row group; more of them need more memory
Columns = dict[str, str]  # by name; a value of TYPES
TEXT, TEXTS, INTEGER, INTEGERS, NUMBER = "text", "texts", "integer", "integers", "number"
PARTS = {TEXTS: TEXT, INTEGERS: INTEGER}  # what a list has
ARRAY_TYPES = {INTEGER: "i", NUMBER: "d"}  # of 32 and 64 bits
Row = Sequence[Any]


def _type(kind: str) -> pa.DataType:
    types = {
        TEXT: pa.string(),
        TEXTS: pa.list_(pa.string()),
        INTEGER: pa.int32(),
        INTEGERS: pa.list_(pa.int32()),
        NUMBER: pa.float64(),
    }
    return types[kind]


def _array(values: Sequence[Any], kind: str) -> pa.Array:
    """The values of a column; None is null.

    Made of buffers, because `pyarrow.array` imports pandas, which needs 50 MiB.
    """
    if kind in PARTS:
        offsets = _offsets([len(value) for value in values])
        parts = _array(list(chain.from_iterable(values)), PARTS[kind])
        return pa.Array.from_buffers(_type(kind), len(values), [None, offsets], children=[parts])
    if kind == TEXT:
        texts = [b"" if value is None else value.encode() for value in values]
        data = [_offsets([len(text) for text in texts]), pa.py_buffer(b"".join(texts))]
    else:
        numbers = [0 if value is None else value for value in values]
        data = [pa.py_buffer(array(ARRAY_TYPES[kind], numbers).tobytes())]
    return pa.Array.from_buffers(_type(kind), len(values), [_validity(values), *data])


def _offsets(lengths: Sequence[int]) -> pa.Buffer:
    return pa.py_buffer(array("i", accumulate(lengths, initial=0)).tobytes())


def _validity(values: Sequence[Any]) -> pa.Buffer | None:
    if not any(value is None for value in values):
        return None
    bits = sum(1 << place for place, value in enumerate(values) if value is not None)
    return pa.py_buffer(bits.to_bytes((len(values) + 7) // 8, "little"))


class ParquetDraft:
    """A Parquet file that is being written, row by row; a group of rows is in memory."""

    def __init__(self, folder: DraftFolder, columns: Columns) -> None:
        self._kinds = list(columns.values())
        self._schema = pa.schema([(name, _type(kind)) for name, kind in columns.items()])
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
        arrays = [_array(values, kind) for values, kind in zip(columns, self._kinds, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows = []


def write_parquet(folder: DraftFolder, columns: Columns, rows: Iterable[Row]) -> StoredFile:
    draft = ParquetDraft(folder, columns)
    draft.write(rows)
    return draft.stored()


class _Target:
    """The file that pyarrow writes. It uses the draft, which needs every byte for its digest."""

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
