"""Judges with a known self-consistency and drift."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from agreement.consistency.drift import PersonDrift, TimedAnswer
from agreement.consistency.repeated import RepeatedGrade

SHARES = (0.45, 0.30, 0.15, 0.10)  # of grades 0 to 3, about as in CSFCube
BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)


def repeats_with(same: float, number: int, seed: int) -> list[RepeatedGrade]:
    """A judge who repeats a grade with probability `same`, and else gives any other one."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        first = int(rng.choice(4, p=SHARES))
        others = [grade for grade in range(4) if grade != first]
        second = first if rng.random() < same else int(rng.choice(others))
        found.append(RepeatedGrade(1, first, second, int(rng.integers(20, 120))))
    return found


def answers_with(
    drift: float, seed: int, *, sittings: int = 6, pairs: int = 60, queries: int = 12
) -> list[TimedAnswer]:
    """A judge whose expected grade rises by `drift` over a sitting of `pairs` answers.

    Each sitting has two queries, whose mean grades differ. The candidates come in random order.
    Grades are rounded at random, so that their expectation is exact.
    """
    rng = np.random.default_rng(seed)
    found = []
    for sitting in range(sittings):
        for place in range(pairs):
            query = sitting * queries // sittings + place * (queries // sittings) // pairs
            worth = 1.0 + 0.25 * np.sin(query) + rng.uniform(-0.6, 0.6)
            worth += drift * place / (pairs - 1)
            grade = int(np.floor(worth + rng.random()))
            time = BEGIN + timedelta(days=sitting, seconds=15 * place)
            found.append(TimedAnswer(query, time, float(rng.uniform(3, 30)), grade, bool(grade)))
    return found


def person_with(drift: float, seed: int) -> PersonDrift:
    return PersonDrift(answers_with(drift, seed))
