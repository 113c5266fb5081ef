"""The figures of agreement given the same aspect and given different ones. Pure.

Two judges looked at the same aspect of a query if what they marked has an aspect in common. Only
pairs that both marked are compared; both then have a grade above 0. Intervals are percentiles of a
bootstrap over queries, all of whose pairs are drawn together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from agreement.aspects.counts import GradePairs, QueryAspects, disagreements
from agreement.coefficients import REGISTRY, CrossTable
from agreement.low_agreement import COEFFICIENTS_OF_TABLES
from corpus.proportions import wilson
from corpus.resampling import FEWEST_QUERIES, RESAMPLES, Ends, draw, percentile_ends
from corpus.scale import Scale

COEFFICIENTS = ("percent", "alpha", "kappa_quadratic")
DIFFERENCE = "mean_difference"  # the mean of |first grade - second grade|
MEASURES = (*COEFFICIENTS, DIFFERENCE)

FEWEST_DISAGREEMENTS = 5  # marked by both judges, of a query that is proposed for splitting
LEAST_LOWER_BOUND = 1 / 3

Tables: TypeAlias = npt.NDArray[np.float64]  # (tables, grades, grades): numbers of pairs
Values: TypeAlias = npt.NDArray[np.float64]  # (tables,); NaN where undefined
JsonRow: TypeAlias = dict[str, Any]


def aspect_summary(
    queries: Iterable[QueryAspects], facets: Iterable[str], scale: Scale, seed: str
) -> JsonRow:
    """A row for each facet with a pair that both judges marked, and the queries to split.

    The last row, with the facet None, is of several facets together.
    """
    marked = [query for query in queries if query.same or query.different]
    seen = [facet for facet in facets if any(query.facet == facet for query in marked)]
    parts: list[str | None] = [*seen, *([None] if len(seen) > 1 else [])]
    return {
        "facets": [
            _facet_row(facet, [each for each in marked if facet in (None, each.facet)], scale, seed)
            for facet in parts
        ],
        "split": queries_to_split(marked),
    }


def queries_to_split(queries: Iterable[QueryAspects]) -> list[JsonRow]:
    """Queries whose judges disagree mostly because they looked at different aspects.

    Of at least FEWEST_DISAGREEMENTS disagreements that both judges marked, more than half are about
    different aspects, and the lower end of the Wilson interval of this share is above
    LEAST_LOWER_BOUND. So 4 of 5 are enough, and 3 of 5 are not. `aspects` has the number of these
    disagreements that each aspect is in. The highest lower end comes first.
    """
    rows = []
    for query in queries:
        different = disagreements(query.different)
        number = different + disagreements(query.same)
        if number < FEWEST_DISAGREEMENTS or 2 * different <= number:
            continue
        low, _ = wilson(different, number)
        if low > LEAST_LOWER_BOUND:
            rows.append(
                {
                    "query": query.query,
                    "disagreements": number,
                    "different": different,
                    "low": low,
                    "aspects": sorted(query.numbers.items()),
                }
            )
    return sorted(rows, key=lambda row: (-row["low"], row["query"]))


def _facet_row(
    facet: str | None, queries: Sequence[QueryAspects], scale: Scale, seed: str
) -> JsonRow:
    same = _tables([query.same for query in queries], scale)
    different = _tables([query.different for query in queries], scale)
    resampled = Resampled(same, different, seed) if len(queries) >= FEWEST_QUERIES else None
    return {
        "facet": facet,
        "queries": len(queries),
        "graded": sum(query.graded for query in queries),
        "disagreements": sum(query.disagreements for query in queries),
        "same": _class_row([query.same for query in queries], scale),
        "different": _class_row([query.different for query in queries], scale),
        "pairs_share": _share(_pairs, same, different, resampled),
        "disagreements_share": _share(_disagreeing, same, different, resampled),
        "measures": {
            key: _measure_row(MEASURES_OF_TABLES[key], same, different, resampled, scale)
            for key in MEASURES
        },
    }


def _class_row(counts: Sequence[GradePairs], scale: Scale) -> JsonRow:
    table = CrossTable((item for pairs in counts for item in pairs.items()), scale)
    results = {
        coefficient.key: coefficient.function(table)
        for coefficient in REGISTRY
        if coefficient.key in COEFFICIENTS
    }
    return {
        "pairs": table.pairs,
        "disagreements": table.pairs - table.agreed,
        "undefined": {
            key: result.undefined for key, result in results.items() if result.undefined is not None
        },
    }


class Resampled:
    """The summed tables of resamples of the queries: (resamples, grades, grades) each.

    Both classes of pairs come from the same queries, so that their difference has an interval too.
    """

    def __init__(self, same: Tables, different: Tables, seed: str) -> None:
        number, grades, _ = same.shape
        together = np.hstack([same.reshape(number, -1), different.reshape(number, -1)])
        parts = []
        for block in draw(number, number, f"{seed}|agreement-aspects|{number}", RESAMPLES):
            places = (np.arange(len(block))[:, np.newaxis] * number + block).ravel()
            times = np.bincount(places, minlength=len(block) * number).reshape(-1, number)
            parts.append(times @ together)
        summed = np.concatenate(parts).reshape(-1, 2, grades, grades)
        self.same, self.different = summed[:, 0], summed[:, 1]


class Measured(NamedTuple):
    """The values of one measure in one class, in the other, and their difference."""

    same: Values
    different: Values

    @property
    def difference(self) -> Values:
        return self.same - self.different


MeasureOfTables = Callable[[Tables, Scale], Values]


def _measure_row(
    measure: MeasureOfTables,
    same: Tables,
    different: Tables,
    resampled: Resampled | None,
    scale: Scale,
) -> JsonRow:
    """The measure of the pairs of all queries together, in each class and as a difference."""
    point = _measured(measure, same.sum(axis=0)[None], different.sum(axis=0)[None], scale)
    drawn = _measured(measure, resampled.same, resampled.different, scale) if resampled else None
    return {
        name: {
            "value": _number(getattr(point, name)[0]),
            "interval": _ends(getattr(drawn, name)) if drawn else None,
        }
        for name in ("same", "different", "difference")
    }


def _measured(measure: MeasureOfTables, same: Tables, different: Tables, scale: Scale) -> Measured:
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample may have no pair of a class
        return Measured(measure(same, scale), measure(different, scale))


def _mean_difference(tables: Tables, scale: Scale) -> Values:
    grades = np.arange(tables.shape[1])
    weights = np.abs(grades[:, np.newaxis] - grades)
    means: Values = (tables * weights).sum(axis=(1, 2)) / tables.sum(axis=(1, 2))
    return means


MEASURES_OF_TABLES: Mapping[str, MeasureOfTables] = {
    **{key: COEFFICIENTS_OF_TABLES[key] for key in COEFFICIENTS},
    DIFFERENCE: _mean_difference,
}


def _share(
    count: Callable[[Tables], Values],
    same: Tables,
    different: Tables,
    resampled: Resampled | None,
) -> JsonRow:
    """The share of the pairs about different aspects, 0 to 1, of those that `count` counts."""

    def shares(ones: Tables, others: Tables) -> Values:
        with np.errstate(invalid="ignore", divide="ignore"):
            quotients: Values = count(others) / (count(ones) + count(others))
        return quotients

    value = shares(same.sum(axis=0)[None], different.sum(axis=0)[None])[0]
    ends = _ends(shares(resampled.same, resampled.different)) if resampled else None
    return {"value": _number(value), "interval": ends}


def _pairs(tables: Tables) -> Values:
    numbers: Values = tables.sum(axis=(1, 2))
    return numbers


def _disagreeing(tables: Tables) -> Values:
    numbers: Values = tables.sum(axis=(1, 2)) - np.trace(tables, axis1=1, axis2=2)
    return numbers


def _tables(counts: Sequence[GradePairs], scale: Scale) -> Tables:
    """(queries, grades, grades)."""
    tables = np.zeros((len(counts), len(scale.grades), len(scale.grades)))
    for place, pairs in enumerate(counts):
        for (first, second), number in pairs.items():
            tables[place, first, second] = number
    return tables


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _ends(values: Values) -> Ends | None:
    """Of the resamples in which the value is defined; None if there are none."""
    defined = values[np.isfinite(values)]
    return percentile_ends(defined) if len(defined) else None
