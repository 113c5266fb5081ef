"""`.npy` files that are written and read through a memory map."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np


def new_map(path: Path, dtype: type[np.generic], *shape: int) -> np.memmap[Any, Any]:
    """A new file of zeros, mapped for writing, with its disk space allocated.

    Raises OSError when the disk is too full. Without allocation the file is sparse, and writing to
    it on a full disk kills the process with SIGBUS, which Python cannot catch.
    """
    values = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    if hasattr(os, "posix_fallocate"):  # not on macOS
        with path.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return values


def open_array(folder: Path, name: str) -> Any:
    """The array that was saved as `<name>.npy`."""
    # Not as a memmap, of which every slice is slow to make.
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))
