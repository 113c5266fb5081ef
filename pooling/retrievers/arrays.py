"""New `.npy` files that are written through memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np


def new_map(path: Path, dtype: type[np.generic], *shape: int) -> np.memmap[Any, Any]:
    """A new file of zeros, mapped for writing, that has all its room on the disk already.

    Raises OSError where that is not there. A map without it is a file of holes, and to fill one on
    a full disk ends the process by SIGBUS, which nobody can catch.
    """
    values = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    if hasattr(os, "posix_fallocate"):  # macOS has none
        with path.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return values
