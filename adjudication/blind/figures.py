"""False agreement of judges and anchoring of adjudicators, from blind ratings. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from corpus.proportions import wilson

SET_ASIDE = -1  # in place of a grade: the person said that the pair cannot be judged


class Share(NamedTuple):
    """`part` of `total`, with the 95 % interval of Wilson (1927); None without a total."""

    part: int
    total: int

    @property
    def value(self) -> float | None:
        """From 0 to 1."""
        return self.part / self.total if self.total else None

    @property
    def percents(self) -> tuple[float, float, float] | None:
        """The value and both ends of the interval, in percent."""
        if self.interval is None:
            return None
        low, high = self.interval
        return 100 * self.part / self.total, 100 * low, 100 * high

    @property
    def interval(self) -> tuple[float, float] | None:
        """The score interval of Wilson, JASA 22 (1927), p. 209, without continuity correction."""
        if not self.total:
            return None
        return wilson(self.part, self.total)


class Checks(NamedTuple):
    """`number` spot checks of a facet in which the judges agreed on one grade.

    `rated` is the adjudicator's grade, or SET_ASIDE.
    """

    facet: str
    agreed: int
    rated: int
    number: int


class FalseAgreement(NamedTuple):
    """Spot checks of one facet, of one agreed grade, or of all.

    `share` is of those that the adjudicator gave another grade than both judges, among those that
    he or she graded. `ungraded` are left out.
    """

    name: str
    share: Share
    higher: int
    lower: int
    ungraded: int


def false_agreement(name: str, checks: Iterable[Checks]) -> FalseAgreement:
    graded = higher = lower = ungraded = 0
    for row in checks:
        if row.rated == SET_ASIDE:
            ungraded += row.number
            continue
        graded += row.number
        higher += row.number if row.rated > row.agreed else 0
        lower += row.number if row.rated < row.agreed else 0
    return FalseAgreement(name, Share(higher + lower, graded), higher, lower, ungraded)


def false_agreement_by(
    checks: Sequence[Checks], group: Callable[[Checks], str], names: Iterable[str]
) -> Iterator[FalseAgreement]:
    """A row for each name that has spot checks, in this order."""
    for name in names:
        if rows := [row for row in checks if group(row) == name]:
            yield false_agreement(name, rows)


class RatedCases(NamedTuple):
    """`number` cases with a blind rating and a decision by the same adjudicator.

    `first` and `second` are the grades of the judges, `rated` the blind grade and `decided` the
    final one; SET_ASIDE stands for a missing grade.
    """

    first: int
    second: int
    rated: int
    decided: int
    number: int


class Anchoring(NamedTuple):
    """Blind grades and what followed once both judgments were shown.

    RatedCases in which the blind or the final grade is missing are `ungraded`, and in no share.
    """

    changed: Share  # the final grade is not the blind one
    raised: Share
    lowered: Share
    to_a_judge: Share  # changed to the grade of a judge
    blind_overrules: Share  # the blind grade is that of neither judge
    decision_overrules: Share
    ungraded: int


def anchoring(cases: Iterable[RatedCases]) -> Anchoring:
    counts: Counter[str] = Counter()
    for case in cases:
        if SET_ASIDE in (case.rated, case.decided):
            counts["ungraded"] += case.number
            continue
        for name, holds in _facts(case).items():
            counts[name] += case.number if holds else 0
    total = counts["all"]
    shares = {name: Share(counts[name], total) for name in Anchoring._fields if name != "ungraded"}
    return Anchoring(**shares, ungraded=counts["ungraded"])


def _facts(case: RatedCases) -> dict[str, bool]:
    judges = (case.first, case.second)
    is_changed = case.rated != case.decided
    return {
        "all": True,
        "changed": is_changed,
        "raised": case.decided > case.rated,
        "lowered": case.decided < case.rated,
        "to_a_judge": is_changed and case.decided in judges,
        "blind_overrules": case.rated not in judges,
        "decision_overrules": case.decided not in judges,
    }


class BlindFigures(NamedTuple):
    """The figures of a collection, and what is asked of its adjudicators now."""

    blind_first: bool
    spot_check_share: float
    overall: FalseAgreement
    anchoring: Anchoring


NO_FIGURES = BlindFigures(False, 0.0, false_agreement("", []), anchoring([]))
