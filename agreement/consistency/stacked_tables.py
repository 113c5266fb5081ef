"""Coefficients of many tables of grades at once, for bootstrap intervals. Pure.

`coefficients.py` computes one table exactly, with the reason where a coefficient is undefined, and
takes a thousand times as long. Here each row of an array is a table, such as that of a resample,
and NaN says that its coefficient is undefined. The tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from agreement.coefficients import CrossTable
from corpus.resampling import draw
from corpus.scale import Scale

Tables: TypeAlias = npt.NDArray[np.float64]  # (tables, grades, grades): numbers of pairs
Values: TypeAlias = npt.NDArray[np.float64]  # (tables,); NaN where the value is undefined


def table_of(table: CrossTable) -> Tables:
    """The table as an array of shape (1, grades, grades)."""
    grades = len(table.scale.grades)
    counts = np.zeros((1, grades, grades))
    for (a, b), number in table.counts.items():
        counts[0, a, b] = number
    return counts


def resampled_tables(table: CrossTable, name: str, resamples: int) -> Tables:
    """The tables of as many pairs as there are, drawn with replacement by the numbers of `name`."""
    grades = len(table.scale.grades)
    places = [a * grades + b for a, b in table.counts]
    cell_of_pair = np.repeat(places, list(table.counts.values()))
    cells = grades * grades
    parts = []
    for block in draw(table.pairs, table.pairs, name, resamples):
        rows = np.arange(len(block))[:, np.newaxis] * cells
        counts = np.bincount((cell_of_pair[block] + rows).ravel(), minlength=len(block) * cells)
        parts.append(counts.reshape(-1, grades, grades))
    return np.concatenate(parts).astype(np.float64)


def _divided(above: Values, below: Values) -> Values:
    """NaN where both are 0, which is where a coefficient is undefined."""
    quotients: Values = np.divide(above, below, out=np.full(len(above), np.nan), where=below != 0)
    return quotients


def _margins(tables: Tables) -> tuple[Tables, Tables, Values]:
    return tables.sum(axis=2), tables.sum(axis=1), tables.sum(axis=(1, 2))


def _mean_weights(tables: Tables, weights: npt.NDArray[Any]) -> Values:
    return _divided((tables * weights).sum(axis=(1, 2)), tables.sum(axis=(1, 2)))


def _differences(tables: Tables) -> npt.NDArray[np.int64]:
    grades = np.arange(tables.shape[1])
    differences: npt.NDArray[np.int64] = np.abs(grades[:, np.newaxis] - grades)
    return differences


def _spearman(tables: Tables, scale: Scale) -> Values:
    first, second, n = _margins(tables)
    centred = [
        np.cumsum(margin, axis=1) - margin + (margin + 1) / 2 - (n[:, np.newaxis] + 1) / 2
        for margin in (first, second)
    ]
    together = np.einsum("tab,ta,tb->t", tables, *centred)
    spread = [
        (margin * ranks**2).sum(axis=1)
        for margin, ranks in zip((first, second), centred, strict=True)
    ]
    return _divided(together, np.sqrt(spread[0] * spread[1]))


def _kendall(tables: Tables, scale: Scale) -> Values:
    first, second, n = _margins(tables)
    below = np.cumsum(tables, axis=1) - tables  # rows with a lower grade, by the second's grade
    lower = np.cumsum(below, axis=2) - below
    higher = below.sum(axis=2, keepdims=True) - below - lower
    balance = (tables * (lower - higher)).sum(axis=(1, 2))
    untied = [(n**2 - (margin**2).sum(axis=1)) / 2 for margin in (first, second)]
    return _divided(balance, np.sqrt(untied[0] * untied[1]))


def alphas(tables: Tables) -> Values:
    """Krippendorff's ordinal alpha of two values a unit.

    Units with more values have the alpha of half of their coincidences, as a table. Source:
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section E.
    """
    first, second, n = _margins(tables)
    used = first + second
    up_to = np.cumsum(used, axis=1)
    low, high = (used[:, :, np.newaxis], used[:, np.newaxis, :])
    between = np.abs(up_to[:, np.newaxis, :] - up_to[:, :, np.newaxis])
    # From grade c to k, of which the ends count half.
    distance = between + np.where(
        np.triu(np.ones(tables.shape[1:])), (low - high) / 2, (high - low) / 2
    )
    observed = 2 * (tables * distance**2).sum(axis=(1, 2))
    expected = (low * high * distance**2).sum(axis=(1, 2))
    ratio = _divided((2 * n - 1) * observed, expected)
    return 1 - ratio


def _kappa(power: int) -> Callable[[Tables, Scale], Values]:
    """Weights |a - b| to this power; 0 for the unweighted one."""

    def kappa(tables: Tables, scale: Scale) -> Values:
        first, second, n = _margins(tables)
        differences = _differences(tables)
        weights = np.where(differences > 0, differences.astype(np.float64) ** power, 0.0)
        observed = (tables * weights).sum(axis=(1, 2)) * n
        expected = np.einsum("ta,tb,ab->t", first, second, weights)
        return 1 - _divided(observed, expected)

    return kappa


def _gwet(
    weights_of: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]],
) -> Callable[[Tables, Scale], Values]:
    def coefficient(tables: Tables, scale: Scale) -> Values:
        first, second, n = _margins(tables)
        weights = weights_of(_differences(tables))
        q = len(weights)
        shares = (first + second) / (2 * n[:, np.newaxis])
        expected = weights.sum() * (shares * (1 - shares)).sum(axis=1) / (q * (q - 1))
        return _divided(_mean_weights(tables, weights) - expected, 1 - expected)

    return coefficient


def _percent_within(difference: int) -> Callable[[Tables, Scale], Values]:
    return lambda tables, _: 100 * _mean_weights(tables, _differences(tables) <= difference)


def _relevance(tables: Tables, scale: Scale) -> Values:
    relevant = np.array(scale.grades) >= scale.relevant_from
    return 100 * _mean_weights(tables, relevant[:, np.newaxis] == relevant)


def mean_differences(tables: Tables) -> Values:
    """The mean of |first grade - second grade|."""
    return _mean_weights(tables, _differences(tables))


def mean_directions(tables: Tables) -> Values:
    """The mean of the second grade minus the first."""
    grades = np.arange(tables.shape[1])
    return _mean_weights(tables, grades - grades[:, np.newaxis])


COEFFICIENTS_OF_TABLES: Mapping[str, Callable[[Tables, Scale], Values]] = {
    "spearman": _spearman,
    "alpha": lambda tables, _: alphas(tables),
    "kappa": _kappa(0),
    "percent": _percent_within(0),
    "kendall": _kendall,
    "kappa_linear": _kappa(1),
    "kappa_quadratic": _kappa(2),
    "ac1": _gwet(lambda differences: (differences == 0).astype(np.float64)),
    "ac2": _gwet(lambda differences: 1 - (differences / differences.max()) ** 2),
    "percent_within_1": _percent_within(1),
    "percent_relevance": _relevance,
}
"""By the key of the coefficient in `coefficients.REGISTRY`."""
