"""The queries with proposed grades against those without, which lots decided. Pure.

The two groups are compared by the medians of their queries' values, as the agreement report has
them. The interval of a difference is a percentile bootstrap interval: the queries of each group are
drawn with replacement (Efron and Tibshirani, 1993, section 8.3). The test is a randomization test:
without an effect, every way in which the lots can fall is equally likely (Fisher, 1935, chapter 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from agreement.coefficients import REGISTRY
from agreement.intervals import middle_ranks
from corpus.resampling import FEWEST_QUERIES, Ends, draw, percentile_ends

COEFFICIENTS = tuple(each.key for each in REGISTRY if each.of_paper)
SECONDS = "seconds"
MEASURES = (*COEFFICIENTS, SECONDS)
MOST_BLOCKS_COUNTED = 12  # 2¹² ways; of more blocks, ways are drawn
DRAWN_WAYS = 9_999
EQUAL = 1e-9  # differences of medians that are equal but for rounding

Floats: TypeAlias = npt.NDArray[np.float64]
Values: TypeAlias = Mapping[str, float | None]  # by measure; None where it is undefined


@dataclass(frozen=True)
class DrawnQuery:
    """A query that drew a lot with the other one of its block, and `proposes` grades or not.

    `values` are of the judgments before adjudication, `first` of the first ones: in a query that
    proposes, those before a proposal. `seconds` is the median of a judgment with its proposal.
    """

    query: str
    block: int
    proposes: bool
    pairs: int = 0
    values: Values = field(default_factory=dict)
    first: Values = field(default_factory=dict)


def compared(queries: Sequence[DrawnQuery], seed: str) -> list[dict[str, Any]]:
    """A row for each measure: the medians of both groups, their difference, interval and p.

    `first` is the median of the first judgments where grades are proposed. A difference is that
    with proposals minus that without, None if a group has no value.
    """
    return [_row(measure, queries, seed) for measure in MEASURES]


def _row(measure: str, queries: Sequence[DrawnQuery], seed: str) -> dict[str, Any]:
    defined = [query for query in queries if query.values.get(measure) is not None]
    groups = {
        proposes: [_value(query, measure) for query in defined if query.proposes is proposes]
        for proposes in (True, False)
    }
    firsts = [query.first.get(measure) for query in queries if query.proposes]
    with_, without = (_median(groups[proposes]) for proposes in (True, False))
    difference = p = None
    if with_ is not None and without is not None:
        difference = with_ - without
        p = randomization_p(defined, measure, seed)
    return {
        "measure": measure,
        "first": _median([value for value in firsts if value is not None]),
        "with": with_,
        "without": without,
        "queries_with": len(groups[True]),
        "queries_without": len(groups[False]),
        "difference": difference,
        "interval": difference_interval(groups[True], groups[False], f"{seed}|{measure}"),
        "p": p,
    }


def difference_interval(first: Sequence[float], second: Sequence[float], seed: str) -> Ends | None:
    """The interval of median(first) − median(second); None for fewer than FEWEST_QUERIES in one."""
    if min(len(first), len(second)) < FEWEST_QUERIES:
        return None
    medians = [
        np.sort(np.asarray(values, dtype=np.float64))[
            middle_ranks(len(values), f"{seed}|alignment|{group}")
        ].mean(axis=1)
        for group, values in (("with", first), ("without", second))
    ]
    return percentile_ends(medians[0] - medians[1])


def randomization_p(queries: Iterable[DrawnQuery], measure: str, seed: str) -> float:
    """The two-sided p, from 0 to 1, of queries that all have the measure.

    The statistic is the absolute difference of the medians. In a way, each block has its lots as
    they fell, or swapped. Ways that leave a group empty are not counted. With up to
    MOST_BLOCKS_COUNTED blocks, p is the share of the ways with at least the difference found. With
    more, DRAWN_WAYS are drawn, and the one that happened is added (Phipson and Smyth, 2010).
    """
    ordered = sorted(queries, key=attrgetter("block", "query"))
    values = np.array([_value(query, measure) for query in ordered])
    proposes = np.array([query.proposes for query in ordered])
    sizes = [len(list(rows)) for _, rows in groupby(ordered, key=attrgetter("block"))]
    found = abs(_difference(values, proposes))
    # Each way of the blocks, for each of their queries.
    swaps = np.repeat(_ways(len(sizes), seed), sizes, axis=1)
    differences = [
        abs(_difference(values, way)) for way in proposes ^ swaps if way.any() and not way.all()
    ]
    as_large = sum(difference >= found - EQUAL for difference in differences)
    if len(sizes) <= MOST_BLOCKS_COUNTED:
        return as_large / len(differences)
    return (1 + as_large) / (1 + len(differences))


def _ways(blocks: int, seed: str) -> npt.NDArray[np.bool_]:
    """All ways to swap the lots of the blocks, or those drawn: (ways, blocks)."""
    if blocks <= MOST_BLOCKS_COUNTED:
        return (np.arange(2**blocks)[:, None] >> np.arange(blocks) & 1).astype(bool)
    drawn = draw(blocks, 2, f"{seed}|alignment-lots|{blocks}", DRAWN_WAYS)
    return np.vstack(list(drawn)).astype(bool)


def _difference(values: Floats, proposes: npt.NDArray[np.bool_]) -> float:
    return float(np.median(values[proposes]) - np.median(values[~proposes]))


def _value(query: DrawnQuery, measure: str) -> float:
    value = query.values[measure]
    assert value is not None
    return value


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
