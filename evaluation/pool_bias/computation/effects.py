"""The effects on the systems' scores if some labels are missing. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from agreement.coefficients import Result
from scoring.statistics.rank_correlation import tau
from scoring.statistics.ranking import Scores, ranks_of


class SystemEffect(NamedTuple):
    """A system's score and rank with all labels and with fewer.

    `reduced_condensed` is the score of its lists without the documents that have no label left.
    Ranks count from 1, and systems with equal scores share the best rank. `is_left_out` marks a
    system that is itself one of the sources that were left out.
    """

    system: str
    score: float
    rank: int
    reduced_score: float
    reduced_rank: int
    reduced_condensed: float
    is_left_out: bool

    @property
    def change(self) -> float:
        return self.reduced_score - self.score

    @property
    def rank_change(self) -> int:
        """Positive if the system falls."""
        return self.reduced_rank - self.rank


def effects(
    full: Scores, reduced: Scores, condensed: Scores, left_out: Collection[str]
) -> list[SystemEffect]:
    """Every system, best with all labels first. All mappings must have the same systems."""
    ranks, reduced_ranks = ranks_of(full), ranks_of(reduced)
    rows = [
        SystemEffect(
            name,
            score,
            ranks[name],
            reduced[name],
            reduced_ranks[name],
            condensed[name],
            is_left_out=name in left_out,
        )
        for name, score in full.items()
    ]
    return sorted(rows, key=lambda row: (row.rank, row.system))


def ranking_correlation(full: Scores, reduced: Scores) -> Result:
    """Kendall's τ-b between both rankings of the systems, or why it is undefined."""
    return tau(full, reduced)
