"""Agreement of a model and of people on parts of the compared pairs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agreement.coefficients import COEFFICIENTS, Coefficient, CrossTable
from agreement.consistency.estimates import EstimatedValue, undefined
from agreement.consistency.stacked_tables import COEFFICIENTS_OF_TABLES
from evaluation.shadow_judges.agreement import COMPARISONS, RaterComparison
from evaluation.shadow_judges.worth.pairs import CandidateFacts, ComparedPairs, Mask, too_few
from evaluation.shadow_judges.worth.resamples import Array, QueryResamples, combined, interval_of

MODEL_PEOPLE, DIFFERENCE = "model-people", "difference"
MOST_SOURCES = 30  # those with the most pairs
NO_YEAR, OTHER_YEARS = "no year", "other years"
LENGTHS = 3  # parts of equal size

Years = tuple[int, int]  # of a period, both included


class PairSlice(NamedTuple):
    """Some of the pairs: the dimension, the key within it, and which pairs.

    `bounds` are the lowest and the highest number of words, or the years of the period.
    """

    dimension: str
    key: str
    rows: Mask
    bounds: tuple[int, int] | None = None


@dataclass(frozen=True)
class SliceDimension:
    """A way to divide pairs. `overlap` says that a pair can be in several parts."""

    key: str
    parts: Callable[[ComparedPairs, Sequence[Years]], Iterator[PairSlice]]
    overlap: bool = False


def _all(pairs: ComparedPairs, _: Sequence[Years]) -> Iterator[PairSlice]:
    yield PairSlice("all", "all", pairs.everything)


def _facets(pairs: ComparedPairs, _: Sequence[Years]) -> Iterator[PairSlice]:
    for facet in sorted(set(pairs.facets)):
        if facet:
            yield PairSlice("facet", facet, np.array([each == facet for each in pairs.facets]))


def _drawn(pairs: ComparedPairs, _: Sequence[Years]) -> Iterator[PairSlice]:
    return _by_source("drawn", pairs, lambda facts: (facts.drawn,) if facts.drawn else ())


def _found(pairs: ComparedPairs, _: Sequence[Years]) -> Iterator[PairSlice]:
    return _by_source("found", pairs, lambda facts: facts.found)


def _by_source(
    dimension: str, pairs: ComparedPairs, of: Callable[[CandidateFacts], Iterable[str]]
) -> Iterator[PairSlice]:
    rows: dict[str, list[int]] = {}
    for place, facts in enumerate(pairs.facts):
        for source in of(facts):
            rows.setdefault(source, []).append(place)
    largest = sorted(rows, key=lambda source: (-len(rows[source]), source))[:MOST_SOURCES]
    for source in sorted(largest):
        mask = np.zeros(len(pairs), dtype=bool)
        mask[rows[source]] = True
        yield PairSlice(dimension, source, mask)


def _lengths(pairs: ComparedPairs, _: Sequence[Years]) -> Iterator[PairSlice]:
    """Thirds by the number of words. Equal numbers stay together."""
    words = np.array([-1 if facts.words is None else facts.words for facts in pairs.facts])
    known = np.sort(words[words >= 0])
    if not len(known):
        return
    ends = [int(known[-(-len(known) * part // LENGTHS) - 1]) for part in range(1, LENGTHS + 1)]
    low = int(known[0])
    for number, end in enumerate(ends, start=1):
        if end >= low:
            rows = (words >= low) & (words <= end)
            yield PairSlice("length", str(number), rows, (low, end))
        low = end + 1


def _years(pairs: ComparedPairs, periods: Sequence[Years]) -> Iterator[PairSlice]:
    """By period. Pairs without a year, and of years outside of all periods, are slices too."""
    years = np.array([0 if facts.year is None else facts.year for facts in pairs.facts])
    known = np.array([facts.year is not None for facts in pairs.facts], dtype=bool)
    if not known.any():
        return
    others = known.copy()
    for first, last in periods:
        rows = known & (years >= first) & (years <= last)
        others &= ~rows
        yield PairSlice("year", f"{first}-{last}", rows, (first, last))
    for key, rows in ((OTHER_YEARS, others), (NO_YEAR, ~known)):
        if rows.any():
            yield PairSlice("year", key, rows)


DIMENSIONS = (
    SliceDimension("all", _all),
    SliceDimension("facet", _facets),
    SliceDimension("drawn", _drawn),
    SliceDimension("found", _found, overlap=True),
    SliceDimension("length", _lengths),
    SliceDimension("year", _years),
)


def agreement_by_slice(
    pairs: ComparedPairs, periods: Sequence[Years], resamples: QueryResamples
) -> list[dict[str, Any]]:
    """A row for each slice, as JSON types, in the order of DIMENSIONS.

    `numbers` has, for each comparison and coefficient, the value over all pairs of the slice
    together, with its bootstrap interval over queries. `model-people` is the mean of the model's
    agreement with both annotators, and `difference` that minus the agreement of the annotators.
    Too few pairs or queries: the value is None, with the reason in `undefined`.
    """
    rows = []
    for dimension in DIMENSIONS:
        for part in dimension.parts(pairs, periods):
            by_query = pairs.per_query(part.rows)
            rows.append(
                {
                    "dimension": dimension.key,
                    "key": part.key,
                    "bounds": part.bounds and list(part.bounds),
                    "pairs": int(part.rows.sum()),
                    "queries": int((by_query > 0).sum()),
                    "numbers": agreement_on(pairs, part.rows, resamples),
                }
            )
    return rows


Numbers = Mapping[str, Mapping[str, dict[str, Any]]]  # by comparison, then coefficient


def agreement_on(pairs: ComparedPairs, rows: Mask, resamples: QueryResamples) -> Numbers:
    """The estimates of these pairs as JSON, by comparison and coefficient."""
    found = {
        comparison.key: _estimates(pairs, comparison, rows, resamples) for comparison in COMPARISONS
    }
    found[MODEL_PEOPLE] = {
        key: combined(
            (found["model-first"][key], found["model-second"][key]), lambda a, b: (a + b) / 2
        )
        for key in found["judges"]
    }
    found[DIFFERENCE] = {
        key: combined((found[MODEL_PEOPLE][key], found["judges"][key]), lambda a, b: a - b)
        for key in found["judges"]
    }
    return {
        comparison: {key: estimate.as_json() for key, (estimate, _) in estimates.items()}
        for comparison, estimates in found.items()
    }


def _estimates(
    pairs: ComparedPairs, comparison: RaterComparison, rows: Mask, resamples: QueryResamples
) -> dict[str, tuple[EstimatedValue, Array]]:
    tables = pairs.tables(comparison, rows)
    queries = int(tables.any(axis=(1, 2)).sum())
    reason = too_few(int(tables.sum()), queries)
    if reason:
        return {each.key: (undefined(reason, queries), np.empty(0)) for each in COEFFICIENTS}
    resampled = resamples.sums(tables)
    together = _cross_table(tables)
    return {
        coefficient.key: _estimate(coefficient, together, resampled, queries)
        for coefficient in COEFFICIENTS
    }


def _estimate(
    coefficient: Coefficient, together: CrossTable, resampled: Array, queries: int
) -> tuple[EstimatedValue, Array]:
    values = COEFFICIENTS_OF_TABLES[coefficient.key](resampled, together.scale)
    result = coefficient.function(together)
    if result.value is None:
        return undefined(result.undefined or "", queries), values
    return EstimatedValue(result.value, interval_of(values, queries), queries), values


def _cross_table(tables: Any) -> CrossTable:
    together = tables.sum(axis=0)
    return CrossTable(
        ((row, column), int(number)) for (row, column), number in np.ndenumerate(together) if number
    )
