"""Queries whose judges may agree too little, by a lower bound over their pairs. Pure.

An admin chooses a coefficient and a threshold. A query is flagged if the lower end of the bootstrap
interval of its coefficient is below the threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adjudication.standing import LabelledPair
from agreement.coefficients import REGISTRY, CrossTable
from corpus.resampling import draw, percentile_ends
from corpus.scale import Scale

RESAMPLES = 1_000
MOST_PAIRS = 5  # of a query that are named

Tables = npt.NDArray[np.float64]  # (tables, grades, grades): numbers of pairs
Values = npt.NDArray[np.float64]  # (tables,); NaN where the coefficient is undefined


class AgreementRule(NamedTuple):
    """The key of a coefficient, or "" for no rule, and the least lower bound that is enough."""

    coefficient: str
    threshold: float


class WorstPairs:
    """The pairs of each query on which the judges differ most, equal ones by docno."""

    def __init__(self) -> None:
        self.of_query: dict[str, list[tuple[str, int | None, int | None]]] = {}

    def reading(self, pairs: Iterable[LabelledPair]) -> Iterator[LabelledPair]:
        """The same pairs, while they are compared. Those of a query follow each other."""
        for query, members in groupby(pairs, key=attrgetter("query")):
            found = []
            for pair in members:
                first, second = pair.blind
                if first is not None and second is not None and first != second:
                    found.append((-abs(first - second), (pair.docno, first, second)))
                yield pair
            self.of_query[query] = [row for _, row in nsmallest(MOST_PAIRS, found)]


def flagged_queries(
    tables: Mapping[str, CrossTable], worst: WorstPairs, rule: AgreementRule, seed: str
) -> list[dict[str, Any]]:
    """The flagged queries, the one with the lowest bound first.

    `tables` are those of the two judges, by query. A query whose coefficient is undefined is not
    flagged, because it says nothing.
    """
    coefficient = next((each for each in REGISTRY if each.key == rule.coefficient), None)
    if coefficient is None:
        return []
    rows = []
    for query, table in tables.items():
        value = coefficient.function(table).value
        low = None if value is None else lower_bound(table, rule.coefficient, seed, query)
        if low is not None and low < rule.threshold:
            pairs = worst.of_query.get(query, [])
            rows.append({"query": query, "value": value, "low": low, "pairs": pairs})
    return sorted(rows, key=lambda row: (row["low"], row["query"]))


def lower_bound(table: CrossTable, key: str, seed: str, query: str) -> float | None:
    """The 2.5 % point of the coefficient over resamples of the query's pairs.

    Of the resamples in which it is defined; None if there are none.
    """
    values = COEFFICIENTS_OF_TABLES[key](resampled_tables(table, seed, query), table.scale)
    defined = values[np.isfinite(values)]
    return percentile_ends(defined)[0] if len(defined) else None


def resampled_tables(
    table: CrossTable, seed: str, query: str, resamples: int = RESAMPLES
) -> Tables:
    """The tables of as many pairs as there are, drawn with replacement."""
    grades = len(table.scale.grades)
    places = [a * grades + b for a, b in table.counts]
    cell_of_pair = np.repeat(places, list(table.counts.values()))
    cells = grades * grades
    parts = []
    for block in draw(table.pairs, table.pairs, f"{seed}|agreement-pairs|{query}", resamples):
        rows = np.arange(len(block))[:, np.newaxis] * cells
        counts = np.bincount((cell_of_pair[block] + rows).ravel(), minlength=len(block) * cells)
        parts.append(counts.reshape(-1, grades, grades))
    return np.concatenate(parts).astype(np.float64)


# The coefficients of many tables at once. `CrossTable` has one, and takes a thousand times as long.
# The tests compare the two.


def _divided(above: Values, below: Values) -> Values:
    """NaN where both are 0, which is where a coefficient is undefined."""
    quotients: Values = np.divide(above, below, out=np.full(len(above), np.nan), where=below != 0)
    return quotients


def _margins(tables: Tables) -> tuple[Tables, Tables, Values]:
    return tables.sum(axis=2), tables.sum(axis=1), tables.sum(axis=(1, 2))


def _mean_weights(tables: Tables, weights: npt.NDArray[Any]) -> Values:
    means: Values = (tables * weights).sum(axis=(1, 2)) / tables.sum(axis=(1, 2))
    return means


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


def _alpha(tables: Tables, scale: Scale) -> Values:
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


COEFFICIENTS_OF_TABLES: Mapping[str, Callable[[Tables, Scale], Values]] = {
    "spearman": _spearman,
    "alpha": _alpha,
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
