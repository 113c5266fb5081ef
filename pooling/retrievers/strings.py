"""Lists of strings on disk: opened without being read, looked into one at a time.

A JSON list of a million docnos or words takes a second to read and 100 MB to hold, in every process
that opens an index.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

TEXT, ENDS = "txt", "npy"  # the strings' UTF-8 one after the other, and where each of them ends


def write_strings(folder: Path, name: str, strings: Iterable[str]) -> None:
    """Write `<name>.txt` and `<name>.npy`."""
    ends = [0]
    with (folder / f"{name}.{TEXT}").open("wb") as stream:
        for one in strings:
            ends.append(ends[-1] + stream.write(one.encode()))
    np.save(folder / f"{name}.{ENDS}", np.array(ends, dtype=np.int64))


def open_strings(folder: Path, name: str) -> Strings:
    """What `write_strings` wrote. Raises OSError or ValueError for files that it did not write."""
    path = folder / f"{name}.{TEXT}"
    ends = np.load(folder / f"{name}.{ENDS}", mmap_mode="r", allow_pickle=False)
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
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._bytes(range(len(self))[index]).decode()

    def place(self, wanted: str) -> int | None:
        """Where the string stands in a list that is sorted; None when it is not in it.

        UTF-8 sorts like the code points of Python's strings.
        """
        sought, low, high = wanted.encode(), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < sought:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._bytes(low) == sought else None

    def _bytes(self, place: int) -> bytes:
        return self._text[int(self._ends[place]) : int(self._ends[place + 1])]
