"""Agreement of screeners on the papers of a sample. Pure: values in, values out.

Alpha is over all screeners at once. The other coefficients compare two, so with more screeners
they are means over the pairs of screeners.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from agreement.coefficients import (
    ALL_IDENTICAL,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
    CrossTable,
    Result,
    alpha_of_units,
    kappa_of,
    mean_of,
    percent_agreement_of,
    spearman_of,
)

Answers = Mapping[str, int]  # the answer of each screener of a paper, as a number

REASONS = {
    NO_PAIRS: "no paper was screened by two people",
    ONE_PAIR: "only one paper was screened by two people",
    CONSTANT_RATER: "a screener gave the same answer for every paper",
    ALL_IDENTICAL: "all answers are the same",
}
NOT_ORDERED = "the answers have no order"


class ScreeningQuestion(NamedTuple):
    """A question to screeners, with the answers for each paper. Types and facets have no order."""

    name: str
    is_ordered: bool
    papers: Sequence[Answers]


@dataclass(frozen=True)
class ScreeningAgreement:
    """The agreement on one question. `papers` were screened by at least two people."""

    name: str
    papers: int
    alpha: Result
    kappa: Result
    spearman: Result
    percent: Result

    @property
    def values(self) -> list[tuple[Result, int]]:
        """The results in the order of a table's columns, and their decimals."""
        return [(self.spearman, 2), (self.alpha, 2), (self.kappa, 2), (self.percent, 1)]


def agreement_on(question: ScreeningQuestion) -> ScreeningAgreement:
    units = [list(answers.values()) for answers in question.papers if len(answers) > 1]
    tables = _tables(question.papers)
    return ScreeningAgreement(
        name=question.name,
        papers=len(units),
        alpha=alpha_of_units(units, "ordinal" if question.is_ordered else "nominal"),
        kappa=_mean(tables, kappa_of),
        spearman=_mean(tables, spearman_of) if question.is_ordered else Result(None, NOT_ORDERED),
        percent=_mean(tables, percent_agreement_of),
    )


def _tables(papers: Sequence[Answers]) -> list[CrossTable]:
    """The table of every two screeners who screened a paper together."""
    screeners = sorted({screener for answers in papers for screener in answers})
    tables = (
        CrossTable(
            ((answers[first], answers[second]), 1)
            for answers in papers
            if first in answers and second in answers
        )
        for first, second in combinations(screeners, 2)
    )
    return [table for table in tables if table.counts]


def _mean(tables: Sequence[CrossTable], coefficient: Callable[[CrossTable], Result]) -> Result:
    """The mean over those pairs of screeners for whom the coefficient is defined."""
    return mean_of([coefficient(table) for table in tables])
