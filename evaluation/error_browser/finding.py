"""Finds the errors in a ranked list. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple


class ErrorKind(StrEnum):
    FALSE_POSITIVE = "false_positive"
    MISS = "miss"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


class RankingError(NamedTuple):
    """A document that is ranked wrongly; `rank` is from 1, or None if it is not in the list."""

    docno: str
    kind: ErrorKind
    rank: int | None
    grade: int


def kind_of(grade: int, relevant_from: int) -> ErrorKind:
    """The kind of error that a document with this grade can be."""
    return ErrorKind.MISS if grade >= relevant_from else ErrorKind.FALSE_POSITIVE


def find_errors(
    ranking: Sequence[str], grades: Mapping[str, int], *, relevant_from: int, depth: int
) -> list[RankingError]:
    """The errors of a list, whose best document is first: the worst errors of each kind first.

    A false positive is among the first `depth` documents, with a grade below `relevant_from`. A
    miss has that grade or a higher one, and is not among the first `depth`. False positives come by
    rank. Misses come by grade, highest first, and then from the lowest place up: documents that are
    not in the list come before those that are. Documents without a grade are not errors: they may
    be relevant or not.

    Raises ValueError for a depth below 1.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
    ranks = {docno: rank for rank, docno in enumerate(ranking, start=1)}
    top = set(ranking[:depth])
    errors = [
        RankingError(docno, kind_of(grade, relevant_from), ranks.get(docno), grade)
        for docno, grade in grades.items()
        if (docno in top) == (grade < relevant_from)
    ]
    return sorted(errors, key=_worst_first)


def _worst_first(error: RankingError) -> tuple[bool, int, float, str]:
    if error.kind is ErrorKind.FALSE_POSITIVE:
        return False, 0, error.rank or 0, error.docno
    rank = float("inf") if error.rank is None else error.rank
    return True, -error.grade, -rank, error.docno


def ungraded(ranking: Sequence[str], grades: Mapping[str, int], depth: int) -> int:
    """The number of documents without a grade among the first `depth`."""
    return sum(docno not in grades for docno in ranking[:depth])
