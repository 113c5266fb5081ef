"""Systems in the order of their scores. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

Scores = Mapping[str, float]
Key = TypeVar("Key", bound=Hashable)


def ranked(scores: Scores) -> list[str]:
    """The names, the highest score first; equal scores in the order of their names.

    Raises ValueError for a score that is not finite.
    """
    for name, score in scores.items():
        if not math.isfinite(score):
            raise ValueError(f'the score of "{name}" must be finite, got {score}')
    return sorted(scores, key=lambda name: (-scores[name], name))


def ranks_of(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Ranks from 1, the highest score first. Equal scores share the best rank: 1, 2, 2, 4."""
    best: dict[float, int] = {}
    for rank, score in enumerate(sorted(scores.values(), reverse=True), start=1):
        best.setdefault(score, rank)
    return {key: best[score] for key, score in scores.items()}
