"""Tables of scores: the rows of a leaderboard from the values of each query. Pure.

A table has one row for each scored query and one column for each measure (fractions, NaN where a
measure is undefined), as `measures.score_lists` gives it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.folds import FIRST, SECOND, Folds
from evaluation.statistics.paired import mean_interval
from web.lazy import pandas as pd

ALL = "all"
DEV, TEST = "dev", "test"


class Row(NamedTuple):
    """The means of a system over the queries of a facet and a split.

    `queries` were scored. `left_out` have no relevant document, and `without_list` of the scored
    ones score 0 because the system has no list for them. `intervals` are 95 % t-intervals of the
    mean over queries, and `folds` the means of the two folds; a value is None if it is undefined.
    """

    facet: str
    split: str
    queries: int
    left_out: int
    without_list: int
    measures: dict[str, float | None]
    intervals: dict[str, tuple[float, float] | None]
    folds: dict[str, tuple[float | None, float | None]]

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


class Queries(NamedTuple):
    """What the rows of a table are grouped by: the facet of each labelled query, and its fold."""

    facets: Mapping[str, str]
    folds: Folds

    def groups(self) -> Iterable[tuple[str, list[str]]]:
        """Each facet with its queries, then all queries. Without facets only the latter."""
        facets = sorted(set(self.facets.values()) - {""})
        for facet in facets:
            yield facet, [query for query, own in self.facets.items() if own == facet]
        yield ALL, list(self.facets)


def summary_rows(table: pd.DataFrame, queries: Queries, without_list: set[str]) -> list[Row]:
    """For each facet and for all queries: the development, the test and the plain means."""
    rows = []
    for facet, names in queries.groups():
        scored = table.loc[table.index.isin(names)]
        counts = (
            len(scored),
            len(names) - len(scored),
            len(without_list.intersection(scored.index)),
        )
        first, second = (
            scored.loc[[queries.folds.get(name) == fold for name in scored.index]].mean()
            for fold in (FIRST, SECOND)
        )
        folds = {name: (_known(first[name]), _known(second[name])) for name in scored.columns}
        over_folds = {name: _known(value) for name, value in _items((first + second) / 2)}
        plain = {name: _known(value) for name, value in _items(scored.mean())}
        intervals = {name: _interval(scored[name].to_numpy()) for name in scored.columns}
        # Each query is in one development set and in one test set, so both means are the same.
        rows += [
            Row(facet, DEV, *counts, over_folds, intervals, folds),
            Row(facet, TEST, *counts, over_folds, intervals, folds),
            Row(facet, ALL, *counts, plain, intervals, folds),
        ]
    return rows


def _interval(values: np.ndarray[Any, Any]) -> tuple[float, float] | None:
    """The 95 % t-interval of the mean of the defined values; None for fewer than two."""
    estimate = mean_interval(values[~np.isnan(values)])
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def _items(means: pd.Series[float]) -> Iterable[tuple[str, float]]:
    return ((str(name), value) for name, value in means.items())


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# The form in which values are stored


def as_columns(table: pd.DataFrame) -> dict[str, Any]:
    """The table as JSON types: the queries, and a list of values for each measure."""
    values = table.astype(object).where(table.notna(), None)
    return {
        "queries": list(table.index),
        "measures": {str(name): values[name].tolist() for name in table.columns},
    }


def from_columns(columns: Mapping[str, Any], measures: Sequence[str] | None = None) -> pd.DataFrame:
    """The table that `as_columns` wrote, or some of its measures."""
    names = columns["measures"] if measures is None else measures
    index = pd.Index(columns["queries"], name="query")
    return pd.DataFrame(
        {name: columns["measures"][name] for name in names}, index=index, dtype="float64"
    )
