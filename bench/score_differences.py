"""Whether two programs gave the same values to the same queries. Values in, a number out. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import fsum, isnan, nan
from typing import NamedTuple

NOISE = 1e-12  # sums of the same terms in another order differ by less

Values = Mapping[str, Mapping[str, float]]  # measure to query to value


class Difference(NamedTuple):
    """Two values that should be equal. `place` says of what they are: a query, or a mean."""

    measure: str
    place: str
    ours: float
    theirs: float

    @property
    def size(self) -> float:
        return abs(self.ours - self.theirs)

    @property
    def is_noise(self) -> bool:
        return self.size <= NOISE  # False for a value that is missing, which is NaN

    def __str__(self) -> str:
        return (
            f"{self.measure} differs by {self.size:.1e} for {self.place}: "
            f"{self.ours!r} and {self.theirs!r}"
        )


def differences(
    ours: Values, theirs: Values, *, relevant: Sequence[str], without: Sequence[str]
) -> Iterator[Difference]:
    """Each query's values and both means of each measure.

    `relevant` are the queries with a relevant document, and `without` those that have only others.
    One mean leaves `without` out, as we do; the other counts them as 0, as trec_eval's `-c` does.
    """
    for measure in sorted(ours.keys() | theirs.keys()):
        here, there = ours.get(measure, {}), theirs.get(measure, {})
        for query in relevant:
            values = (here.get(query, nan), there.get(query, nan))
            yield Difference(measure, f"query {query}", *values)
    for queries in (relevant, [*relevant, *without]) if without else (relevant,):
        here_means = means_of(ours, queries, zero_for=without)
        there_means = means_of(theirs, queries, zero_for=without)
        for measure in sorted(here_means.keys() | there_means.keys()):
            means = (here_means.get(measure, nan), there_means.get(measure, nan))
            yield Difference(measure, f"the mean of {len(queries)} queries", *means)


def means_of(
    values: Values, queries: Sequence[str], *, zero_for: Collection[str]
) -> dict[str, float]:
    """The mean of each measure; a query of `zero_for` without a value has 0, any other one NaN.

    The share of judged documents has a value without a relevant document, too. A mean with zeros
    would say nothing about it, so it is left out.
    """
    none = frozenset(zero_for)
    with_zeros = not none.isdisjoint(queries)
    return {
        measure: fsum(found.get(query, 0.0 if query in none else nan) for query in queries)
        / len(queries)
        for measure, found in values.items()
        if queries and not (with_zeros and measure.startswith("Judged"))
    }


def largest(found: Sequence[Difference]) -> Difference:
    """The largest of them; one with a missing value is larger than any other."""
    return max(found, key=lambda difference: (isnan(difference.size), difference.size))
