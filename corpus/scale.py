"""The scale of grades of a collection. Pure."""

from __future__ import annotations

from typing import NamedTuple


class Scale(NamedTuple):
    """The grades 0 to `highest_grade`, of which those from `relevant_from` on are relevant."""

    highest_grade: int = 3
    relevant_from: int = 2

    @property
    def grades(self) -> range:
        return range(self.highest_grade + 1)


DEFAULT_SCALE = Scale()
