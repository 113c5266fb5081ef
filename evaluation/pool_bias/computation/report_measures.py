"""The measures of a report, and the values of a system by them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from evaluation.gaps.computation.bounds import BoundedMeasure, UnboundedMeasure
from evaluation.pool_bias.computation.bounds import bounded_measure
from scoring.measures import Measure
from scoring.measures.judged_ranks import Computation, Floats, JudgedRanks
from scoring.measures.profiles import TREC, profile_of, usual_profile
from scoring.measures.scopes import Scope

DEPTH = 20  # of judged@k in the statement
MAIN = f"nDCG@{DEPTH}"


def measures_for(relevant_from: int, facets: Iterable[str]) -> list[Measure]:
    """Those of the profile `trec`, the main one first, then those of the collection's profile.

    The report has judged@k beside them, over the queries with a list.
    """
    profiles = [profile_of(name, relevant_from) for name in (TREC, usual_profile(facets))]
    measures = {measure.name: measure for profile in profiles for measure in profile.measures}
    chosen = [measure for name, measure in measures.items() if not name.startswith("Judged")]
    return sorted(chosen, key=lambda measure: measure.name != MAIN)


def is_closed(measure: Measure) -> bool:
    return measure.scope is Scope.CLOSED


def bounds_of(measures: Iterable[Measure]) -> dict[str, BoundedMeasure]:
    """By name, the measures of lists that can have unjudged documents and a known upper bound."""
    bounds = {}
    for measure in measures:
        if not is_closed(measure):
            with suppress(UnboundedMeasure):
                bounds[measure.name] = bounded_measure(measure.name)
    return bounds


class ScopedRanks(NamedTuple):
    """A system's ranks of the labelled documents in its lists, and in lists of the pool alone.

    The second restricts the lists to the documents that are labelled before any label is left out.
    A label that is left out later makes a document of such a list unjudged.
    """

    given: JudgedRanks
    in_pool: JudgedRanks

    @classmethod
    def of(cls, given: JudgedRanks) -> ScopedRanks:
        return cls(given, given.condensed())

    def values(self, graded: Grading, measures: Sequence[Measure]) -> dict[str, Floats]:
        """The standard value of each measure by query; `graded` gives the labels to score with."""
        given, in_pool = graded(self.given), graded(self.in_pool)
        return {
            measure.name: compute(in_pool if is_closed(measure) else given)
            for measure, compute in _computed(measures)
        }

    def condensed_values(self, graded: Grading, measures: Sequence[Measure]) -> dict[str, Floats]:
        """The same for lists without their documents that have none of these labels."""
        ranks = graded(self.given).condensed()
        return {measure.name: compute(ranks) for measure, compute in _computed(measures)}


Grading = Callable[[JudgedRanks], JudgedRanks]


def _computed(measures: Iterable[Measure]) -> Iterator[tuple[Measure, Computation]]:
    for measure in measures:
        if measure.compute is None:
            raise ValueError(f"{measure.name} is computed query by query by another program")
        yield measure, measure.compute
