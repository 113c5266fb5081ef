"""The standing of a pair, and its final label: the agreed grade or the decision. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class Standing(StrEnum):
    """The progress of a pair."""

    UNJUDGED = "unjudged"  # at least one slot is empty; its judgments stay secret
    DUE = "due"  # a case without a decision
    AGREED = "agreed"  # both judges gave the same grade
    ADJUDICATED = "adjudicated"  # a decision gave the grade
    SET_ASIDE = "set aside"  # the decision is that the pair cannot be judged
    CITATION = "citation"  # no person judged it; only releases with citation labels have such pairs


class LabelledPair(NamedTuple):
    """A pair with everything that agreement and release need. Grades are 0–3 or None.

    While the pair is unjudged, both grades are None, whatever its slots hold.
    """

    query: str
    facet: str
    docno: str
    standing: Standing
    first: int | None
    second: int | None
    final: int | None

    @property
    def judged(self) -> bool:
        return self.standing not in (Standing.UNJUDGED, Standing.CITATION)

    @property
    def overruled(self) -> bool:
        """The final label is neither of the two judgments."""
        if not self.judged or self.final is None:
            return False
        return self.final not in (self.first, self.second)


class PairWithJudges(NamedTuple):
    """A pair and the ids of its two judges, which are None while it is unjudged.

    The aspects are what both marked, if they were asked for.
    """

    pair: LabelledPair
    first_judge: int | None
    second_judge: int | None
    first_aspects: Sequence[int] = ()
    second_aspects: Sequence[int] = ()


def final_label(
    first: int | None,
    second: int | None,
    decision: tuple[int | None] | None,
    *,
    referred: bool = False,
) -> tuple[Standing, int | None]:
    """The standing and the final label of a judged pair.

    `first` and `second` are the grades in its slots (None: cannot judge); `decision` holds the
    decision's grade in a tuple, or is None when there is no decision on these two judgments.
    `referred`: an admin sent the pair to the adjudicator, so equal grades do not decide it.
    """
    if decision is not None:
        (grade,) = decision
        return (Standing.SET_ASIDE if grade is None else Standing.ADJUDICATED), grade
    if first is not None and first == second and not referred:
        return Standing.AGREED, first
    return Standing.DUE, None
