"""Compared pairs of a shadow judge for tests, drawn at random."""

from __future__ import annotations

import numpy as np

from evaluation.shadow_judges.agreement import ComparedPair
from evaluation.shadow_judges.worth.pairs import CandidateFacts, ComparedPairs

SOURCES = ("bm25", "specter", "cited")


def pairs_with_facts(
    queries: int = 14, size: int = 30, seed: int = 3
) -> list[tuple[ComparedPair, CandidateFacts]]:
    """Labels around a true grade; candidates have one to three sources."""
    random = np.random.default_rng(seed)

    def near(grade: int) -> int:
        return int(np.clip(grade + random.integers(-1, 2), 0, 3))

    found = []
    for query in range(queries):
        facet = "method" if query % 2 else "background"
        for _ in range(size):
            grade = int(random.integers(0, 4))
            pair = ComparedPair(f"q{query:02}", facet, *(near(grade) for _ in range(3)), grade)
            sources = random.permutation(SOURCES)[: random.integers(1, 4)]
            year = int(random.integers(1990, 2010)) if random.random() < 0.9 else None
            words = int(random.integers(50, 300))
            found.append(
                (pair, CandidateFacts(words, year, str(sources[0]), frozenset(map(str, sources))))
            )
    return found


def compared(rows: list[tuple[ComparedPair, CandidateFacts]]) -> ComparedPairs:
    return ComparedPairs.of(rows, 4)
