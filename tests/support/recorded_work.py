"""Work whose progress and result a test can look at."""

from __future__ import annotations

from jobs.context import DirectRun


class RecordedWork(DirectRun):
    """`seen`: every (done, total, note) that was reported; `result`: what completed it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[int, int | None, str]] = []
        self.result: dict | None = None

    def progress(self, done, total, note=""):
        self.seen.append((done, total, note))

    def complete(self, result):
        self.result = result
        super().complete(result)
