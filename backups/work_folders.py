"""Hidden folders for a backup in progress. Those of a killed command are removed by the next."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from retrieval.indexes.cleanup import draft_folder, is_abandoned

NAME = "backup"


@contextmanager
def work_folder(root: Path) -> Iterator[Path]:
    """A folder in `root` for this process only, removed at the end."""
    root.mkdir(parents=True, exist_ok=True)
    for folder in root.glob(f".{NAME}.*"):
        if is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
    with draft_folder(root / NAME) as folder:
        yield folder
