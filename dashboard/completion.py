"""How many of how many are done."""

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
