"""The number of judged items, out of a total."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Completion(NamedTuple):
    done: int
    total: int

    @property
    def remaining(self) -> int:
        return self.total - self.done

    @property
    def complete(self) -> bool:
        return self.total > 0 and self.done == self.total


def sum_of(completions: Iterable[Completion]) -> Completion:
    parts = list(completions)
    return Completion(sum(part.done for part in parts), sum(part.total for part in parts))
