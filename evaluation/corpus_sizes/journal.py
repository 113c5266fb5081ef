"""Finished measurements on disk, so that a job that was killed continues where it was.

It is a cache, as an index is: the name of its file is a digest of all that the values depend on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Key = tuple[Any, ...]
SUFFIX = ".jsonl"


@dataclass
class Journal:
    """The means of measurements by key, appended to a file one at a time."""

    path: Path
    values: dict[Key, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, digest: str) -> Journal:
        """Read those of this digest; those of others are removed."""
        journal = cls(folder / f"{digest}{SUFFIX}")
        for path in folder.glob(f"*{SUFFIX}"):
            if path != journal.path:
                path.unlink(missing_ok=True)
        if journal.path.exists():
            for line in journal.path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):  # a last line that was cut
                    key, means = json.loads(line)
                    journal.values[tuple(key)] = means
        return journal

    def add(self, key: Key, means: Mapping[str, float]) -> None:
        """Append a measurement; it is on disk when this returns."""
        self.values[key] = means
        line: Sequence[object] = [key, means]
        with self.path.open("a", encoding="utf-8") as stream:
            # A line that was cut before has no end.
            stream.write(f"\n{json.dumps(line)}\n")
            stream.flush()
            os.fsync(stream.fileno())
