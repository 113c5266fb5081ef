"""Self-consistency: the two grades that a person gave the same pair. Pure.

The first grade is the judgment that stood when the pair came again, the second the answer then.
Intervals are percentile bootstrap intervals over the repeats (Efron and Tibshirani, 1993), that of
the share of same grades is Wilson's. Undefined values have a reason.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from agreement.coefficients import REGISTRY, CrossTable
from agreement.consistency.estimates import EstimatedValue, share, undefined
from agreement.consistency.stacked_tables import (
    COEFFICIENTS_OF_TABLES,
    Values,
    mean_differences,
    mean_directions,
    resampled_tables,
    table_of,
)
from corpus.resampling import RESAMPLES, ends_of_defined
from corpus.scale import DEFAULT_SCALE, Scale

FEWEST_REPEATS = 10  # with a bootstrap interval, if some of them differ
NO_REPEATS = "no repeats"
MOST_DRAWS = 10_000_000  # they take 40 MB
EDGES = (20, 50, 100)  # of the distances that are told apart: answers between the two
KAPPA, ALPHA = "kappa_quadratic", "alpha"
FUNCTIONS = {each.key: each.function for each in REGISTRY if each.key in (KAPPA, ALPHA)}


class RepeatedGrade(NamedTuple):
    """Two grades for the same pair, and how many own answers of the person lie between.

    Between pool rounds, another person may have given the first one; then `is_own` is false.
    """

    annotator: int
    first: int
    second: int
    distance: int
    is_own: bool = True


def consistency_of(
    repeats: Iterable[RepeatedGrade], seed: str, scale: Scale = DEFAULT_SCALE
) -> dict[str, Any]:
    """All numbers of these repeats as JSON, each an EstimatedValue.

    `same` is the share of equal grades, `difference` the mean absolute difference in grades, and
    `direction` the mean of the second minus the first. `distances` has `same` by distance.
    """
    repeats = list(repeats)
    cells = Counter((repeat.first, repeat.second) for repeat in repeats)
    bins: dict[int, Counter[bool]] = defaultdict(Counter)
    for repeat in repeats:
        bins[_bin(repeat.distance)][repeat.first == repeat.second] += 1
    numbers = estimates_of(CrossTable(cells.items(), scale), seed)
    return {
        "repeats": len(repeats),
        **{name: estimate.as_json() for name, estimate in numbers.items()},
        "distances": [
            {"from": low, "to": high, **share(bins[low][True], bins[low].total()).as_json()}
            for low, high in distance_bins()
            if bins[low]
        ],
    }


def distance_bins() -> list[tuple[int, int | None]]:
    """The least and the highest distance of each bin; None has no end."""
    lows = (0, *EDGES)
    return [*zip(lows, (edge - 1 for edge in EDGES), strict=False), (EDGES[-1], None)]


def _bin(distance: int) -> int:
    return max(low for low in (0, *EDGES) if low <= distance)


def estimates_of(table: CrossTable, seed: str) -> dict[str, EstimatedValue]:
    """The estimates by name. `seed` is that of the resamples."""
    # If no repeat differs, no resample does, and the interval would be a point.
    varies = table.pairs >= FEWEST_REPEATS and table.agreed < table.pairs
    resamples = None
    if varies:
        counts = zlib.crc32(repr(sorted(table.counts.items())).encode())
        resamples = resampled_tables(
            table, f"{seed}|self-consistency|{counts}", resamples_of(table.pairs)
        )
    found = {"same": share(table.agreed, table.pairs) if table.pairs else undefined(NO_REPEATS)}
    for key in (KAPPA, ALPHA):
        result = FUNCTIONS[key](table)
        if result.value is None:
            reason = result.undefined if table.pairs else NO_REPEATS
            found[key] = undefined(reason or "", table.pairs)
        else:
            function = COEFFICIENTS_OF_TABLES[key]
            values = None if resamples is None else function(resamples, table.scale)
            found[key] = _estimate(result.value, table.pairs, values)
    for name, means in (("difference", mean_differences), ("direction", mean_directions)):
        if table.pairs:
            (point,) = means(table_of(table)).tolist()
            values = None if resamples is None else means(resamples)
            found[name] = _estimate(point, table.pairs, values)
        else:
            found[name] = undefined(NO_REPEATS)
    return found


def _estimate(value: float, n: int, values: Values | None) -> EstimatedValue:
    """`values` are those of the resamples; without them there is no interval.

    A resample without variation has no kappa or alpha. It is left out, as in Efron (1993).
    """
    return EstimatedValue(value, None if values is None else ends_of_defined(values), n)


def resamples_of(repeats: int) -> int:
    """RESAMPLES, or fewer for very many repeats, for the sake of memory; at least 200."""
    return max(200, min(RESAMPLES, MOST_DRAWS // repeats))
