"""The grades of the papers that a query paper cites. Pure.

Citations are often used as labels, because they need no judge. CSFCube's paper (appendix D) shows
what they miss: most cited papers are not similar to the query paper under a facet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LOW_GRADES = (0, 1)


class CandidateLabel(NamedTuple):
    """The final label of a pair, and whether the query paper cites the candidate."""

    facet: str
    grade: int
    cited: bool


@dataclass(frozen=True, slots=True)
class GradeShares:
    """The number of cited candidates of a facet with each grade, and of the others.

    `cited[grade]` and `others[grade]` are counts of pairs with a final label.
    """

    facet: str
    cited: tuple[int, ...]
    others: tuple[int, ...]

    @property
    def shares(self) -> list[float] | None:
        """The share of each grade in the cited candidates, 0 to 1; None without any."""
        total = sum(self.cited)
        return [count / total for count in self.cited] if total else None

    @property
    def low_share(self) -> float | None:
        """The share of cited candidates at grade 0 or 1."""
        total = sum(self.cited)
        return sum(self.cited[grade] for grade in LOW_GRADES) / total if total else None

    def cited_share_from(self, grade: int) -> float | None:
        """Of the candidates with at least this grade, the share that is cited."""
        cited, others = sum(self.cited[grade:]), sum(self.others[grade:])
        return cited / (cited + others) if cited + others else None


def grade_shares(
    labels: Iterable[CandidateLabel], *, facets: Sequence[str], grades: Sequence[int]
) -> list[GradeShares]:
    """The shares of each facet with a cited candidate, in the order of `facets`."""
    counts = Counter(labels)
    rows = [
        GradeShares(
            facet,
            tuple(counts[CandidateLabel(facet, grade, True)] for grade in grades),
            tuple(counts[CandidateLabel(facet, grade, False)] for grade in grades),
        )
        for facet in facets
    ]
    return [row for row in rows if sum(row.cited)]


def binary_labels(cited: Iterable[str], candidates: Iterable[str], relevant: int) -> dict[str, int]:
    """Citations as labels of the same candidates: `relevant` if cited, else 0."""
    known = set(cited)
    return {docno: relevant if docno in known else 0 for docno in candidates}
