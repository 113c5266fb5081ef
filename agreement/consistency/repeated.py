"""Self-consistency: the two grades that a person gave the same pair. Pure.

The first grade is the judgment that stood when the pair came again, the second the answer then.
Intervals are percentile bootstrap intervals over the repeats (Efron and Tibshirani, 1993), that of
the share of same grades is Wilson's. Undefined values have a reason.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.coefficients import REGISTRY, CrossTable
from agreement.consistency.estimates import EstimatedValue, share, undefined
from agreement.consistency.stacked_tables import Tables, Values, alphas
from corpus.resampling import RESAMPLES, draw, percentile_ends
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
    resamples = _resampled(table, seed) if varies else None
    found = {"same": share(table.agreed, table.pairs) if table.pairs else undefined(NO_REPEATS)}
    for key, values_of in ((KAPPA, _kappas), (ALPHA, _alphas)):
        result = FUNCTIONS[key](table)
        found[key] = (
            undefined(NO_REPEATS if not table.pairs else result.undefined, table.pairs)
            if result.undefined is not None
            else _estimate(result.value, table.pairs, resamples, values_of)
        )
    for name, values_of in (("difference", _differences), ("direction", _directions)):
        grades = _grades(table)
        point = values_of(_counts(table, grades)[None, :, :], grades) if table.pairs else None
        found[name] = (
            undefined(NO_REPEATS)
            if point is None
            else _estimate(float(point[0]), table.pairs, resamples, values_of)
        )
    return found


def _estimate(
    value: float | None,
    n: int,
    resamples: tuple[Tables, Sequence[int]] | None,
    values_of: Callable[[Tables, Sequence[int]], Values],
) -> EstimatedValue:
    if resamples is None:
        return EstimatedValue(value, None, n)
    values = values_of(*resamples)
    # A resample without variation has no kappa or alpha. It is left out, as in Efron (1993).
    defined = values[~np.isnan(values)]
    return EstimatedValue(value, percentile_ends(defined) if len(defined) else None, n)


def _grades(table: CrossTable) -> list[int]:
    return sorted({*table.by_first, *table.by_second})


def _counts(table: CrossTable, grades: Sequence[int]) -> npt.NDArray[np.float64]:
    return np.array([[table.counts.get((a, b), 0) for b in grades] for a in grades], dtype=float)


def _resampled(table: CrossTable, seed: str) -> tuple[Tables, Sequence[int]]:
    """The table of each resample: as many repeats, drawn with replacement."""
    grades = _grades(table)
    places = {grade: place for place, grade in enumerate(grades)}
    size = len(grades)
    cells = np.repeat(
        [places[a] * size + places[b] for a, b in table.counts], list(table.counts.values())
    )
    name = f"{seed}|self-consistency|{zlib.crc32(repr(sorted(table.counts.items())).encode())}"
    tables = [
        np.apply_along_axis(np.bincount, 1, cells[rows], minlength=size * size)
        for rows in draw(len(cells), len(cells), name, resamples_of(len(cells)))
    ]
    return np.vstack(tables).reshape(-1, size, size).astype(float), grades


def resamples_of(repeats: int) -> int:
    """RESAMPLES, or fewer for very many repeats, for the sake of memory; at least 200."""
    return max(200, min(RESAMPLES, MOST_DRAWS // repeats))


def _kappas(tables: Tables, grades: Sequence[int]) -> Values:
    values = np.array(grades)
    weights = (values[:, None] - values[None, :]) ** 2
    observed = (tables * weights).sum(axis=(1, 2)) * tables.sum(axis=(1, 2))
    expected = np.einsum("tr,tc,rc->t", tables.sum(axis=2), tables.sum(axis=1), weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def _alphas(tables: Tables, grades: Sequence[int]) -> Values:
    return alphas(tables)


def _differences(tables: Tables, grades: Sequence[int]) -> Values:
    values = np.array(grades)
    weights = np.abs(values[:, None] - values[None, :])
    means: Values = (tables * weights).sum(axis=(1, 2)) / tables.sum(axis=(1, 2))
    return means


def _directions(tables: Tables, grades: Sequence[int]) -> Values:
    values = np.array(grades)
    weights = values[None, :] - values[:, None]
    means: Values = (tables * weights).sum(axis=(1, 2)) / tables.sum(axis=(1, 2))
    return means
