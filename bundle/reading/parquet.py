"""The rows of a Parquet file of a release. Pure.

It needs pyarrow, so it raises ImportError where pyarrow is not installed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from bundle.reading.opened import NOT_OURS, BundleError, OpenedBundle

PLAIN = frozenset({"PLAIN", "RLE"})  # encodings of the Parquet of a release
ROWS_TOGETHER = 4096


def read_parquet(
    bundle: OpenedBundle, name: str, columns: list[str] | None = None
) -> Iterator[Mapping[str, Any]]:
    """The rows, with all columns or these. Raises BundleError."""
    import pyarrow
    from pyarrow import parquet

    with bundle.open(name) as file:
        try:
            table = parquet.ParquetFile(file)
            if _can_grow(table.metadata, bundle.size(name)):
                raise BundleError(
                    name,
                    None,
                    f"has compressed values, but the Parquet of a release does not. {NOT_OURS}",
                )
            # Group by group, without threads: all groups at once take sixty times as long and keep
            # the memory.
            for group in range(table.num_row_groups):
                for batch in table.iter_batches(
                    ROWS_TOGETHER, row_groups=[group], columns=columns, use_threads=False
                ):
                    yield from batch.to_pylist()
        # pyarrow raises OSError for most damage, and passes on the errors of the zip.
        except (
            *(pyarrow.ArrowException, LookupError, OSError, EOFError, OverflowError),
            *(zipfile.BadZipFile, UnicodeDecodeError),
        ) as error:
            raise BundleError(name, None, f"cannot be read as Parquet ({error}).") from error


def _can_grow(metadata: Any, size: int) -> bool:
    """Return whether the values may need far more memory than the bytes of the file.

    A row of a release has at least one value of four bytes.
    """
    columns = (
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    )
    return metadata.num_rows > size or any(
        column.compression != "UNCOMPRESSED" or not PLAIN.issuperset(column.encodings)
        for column in columns
    )
