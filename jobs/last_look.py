"""The memory of a due-check, so that it costs little while nothing changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

LOOK_AGAIN_SECONDS = 60


@dataclass
class LastLook:
    """The marks as they were when this process last looked for due reports.

    Marks are cheap to read and change with almost everything that makes a report out of date. A
    missed change is found when the process looks again after LOOK_AGAIN_SECONDS. On PostgreSQL, for
    example, a row can appear after one with a higher id.
    """

    marks: Any = None
    valid_until: float = 0.0

    def still_holds(self, marks: Any) -> bool:
        return bool(marks == self.marks) and time.monotonic() < self.valid_until

    def note(self, marks: Any) -> None:
        self.marks, self.valid_until = marks, time.monotonic() + LOOK_AGAIN_SECONDS
