"""Lists of strings on disk, memory-mapped, so that opening one reads nothing.

A JSON list of a million docnos takes up to a second to read and 82 MB of memory, in every process
that opens an index (docs/adr/0013-index-folders.md).
"""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

TEXT, ENDS = "txt", "npy"  # the strings in UTF-8 without separators, and the end of each


def write_strings(folder: Path, name: str, strings: Iterable[str]) -> None:
    """Write `<name>.txt` and `<name>.npy`."""
    ends = [0]
    with (folder / f"{name}.{TEXT}").open("wb") as stream:
        for string in strings:
            ends.append(ends[-1] + stream.write(string.encode()))
    np.save(folder / f"{name}.{ENDS}", np.array(ends, dtype=np.int64))


def open_strings(folder: Path, name: str) -> Strings:
    """Open what `write_strings` wrote; raises OSError or ValueError for other files."""
    path = folder / f"{name}.{TEXT}"
    # Not as a memmap, of which every item is slow to get.
    ends = np.asarray(np.load(folder / f"{name}.{ENDS}", mmap_mode="r", allow_pickle=False))
    size = path.stat().st_size
    if ends.ndim != 1 or not len(ends) or ends[0] != 0 or ends[-1] != size:
        raise ValueError(f"{path.name} does not end where its index says")
    with path.open("rb") as stream:
        # An empty file cannot be mapped.
        text = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    return Strings(text, ends)


class Strings(Sequence[str]):
    """A list of strings, memory-mapped."""

    def __init__(self, text: mmap.mmap | bytes, ends: NDArray[np.int64]) -> None:
        self._text, self._ends = text, ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        return self._bytes(range(len(self))[index]).decode()

    def index_of(self, string: str) -> int | None:
        """The index of a string in a sorted list; None when it is not there.

        UTF-8 sorts like the code points of Python's strings.
        """
        target, places = string.encode(), range(len(self))
        place = bisect_left(places, target, key=self._bytes)
        return place if place in places and self._bytes(place) == target else None

    def _bytes(self, index: int) -> bytes:
        return self._text[int(self._ends[index]) : int(self._ends[index + 1])]
