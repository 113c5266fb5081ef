"""Tables of scores: the rows of a leaderboard from the values of each query. Pure.

A table has one row for each scored query and one column for each measure (fractions, NaN where a
measure is undefined), as `measures.score_lists` gives it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scoring.folds import Folds
from scoring.measures.judged_ranks import JudgedRanks
from scoring.statistics.paired import mean_interval
from web.lazy import pandas as pd

ALL = "all"
DEV, TEST = "dev", "test"
MEAN_OVER_FIELDS = "mean over fields"
NO_FIELD = "no field"
DEVELOPMENT_FOLD = 1  # the published script of CSFCube reads its development set alone


class MeansRow(NamedTuple):
    """The means of a system over the queries of a facet and a split.

    `queries` were scored. `left_out` have no relevant document, and `without_list` of the scored
    ones score 0 because the system has no list for them. `intervals` are 95 % t-intervals of the
    mean over queries, and `folds` the means of the folds' test sets; a value is None if it is
    undefined. `field` and `candidates` say which part of MDCR's evaluation a row is.

    Of the lists of the scored queries, `unjudged` documents have no label, and `lacking` labelled
    documents are in no list.
    """

    facet: str
    split: str
    queries: int
    left_out: int
    without_list: int
    measures: dict[str, float | None]
    intervals: dict[str, tuple[float, float] | None]
    folds: dict[str, Sequence[float | None]]
    field: str = ""
    candidates: str = ALL
    unjudged: int = 0
    lacking: int = 0

    @property
    def is_re_ranking(self) -> bool:
        """True if the lists have judged documents only, as those of a re-ranking of the pool."""
        return self.unjudged == 0 and self.queries > self.without_list

    def is_of(self, facet: str, split: str) -> bool:
        """True for all candidates of the facet and split; with fields, for the mean over them."""
        place = (self.facet, self.split, self.candidates)
        return place == (facet, split, ALL) and self.field in ("", MEAN_OVER_FIELDS)


class QueryGroups(NamedTuple):
    """The groups of a table's rows: facet, fold and field of each labelled query."""

    facets: Mapping[str, str]
    folds: Folds = Folds()
    fields: Mapping[str, str] = {}

    def groups(self) -> Iterable[tuple[str, list[str]]]:
        """Each facet with its queries, then all queries. Without facets only the latter."""
        facets = sorted(set(self.facets.values()) - {""})
        for facet in facets:
            yield facet, [query for query, own in self.facets.items() if own == facet]
        yield ALL, list(self.facets)

    def of_all(self, names: Iterable[str]) -> QueryGroups:
        """These queries as one group."""
        return QueryGroups(dict.fromkeys(names, ""), self.folds, self.fields)


class ListCounts(NamedTuple):
    """The queries that a system has no list for; and by query, documents as in `MeansRow`."""

    without_list: Collection[str] = frozenset()
    unjudged: Mapping[str, int] = {}
    lacking: Mapping[str, int] = {}

    @classmethod
    def of(cls, ranks: JudgedRanks) -> ListCounts:
        names = ranks.judged.queries
        return cls(
            {name for name, known in zip(names, ranks.has_list, strict=True) if not known},
            dict(zip(names, map(int, ranks.unjudged), strict=True)),
            dict(zip(names, map(int, ranks.lacking), strict=True)),
        )


def summary_rows(table: pd.DataFrame, queries: QueryGroups, lists: ListCounts) -> list[MeansRow]:
    """For each facet and for all queries: the development, the test and the plain means.

    The development mean is over the queries that fold 1 does not test. The test mean is the mean of
    the folds' means. Without folds there are plain means only.
    """
    rows: list[MeansRow] = []
    for facet, names in queries.groups():
        if queries.folds.count:
            rows += _fold_rows(facet, names, table, queries.folds, lists)
        rows.append(_plain_row(facet, ALL, names, table, lists))
    return rows


def _fold_rows(
    facet: str, names: Sequence[str], table: pd.DataFrame, folds: Folds, lists: ListCounts
) -> Iterator[MeansRow]:
    development = folds.development_of(DEVELOPMENT_FOLD)
    yield _plain_row(facet, DEV, [name for name in names if name in development], table, lists)
    tested = [name for name in names if folds.numbers.get(name)]
    means = [
        _scored(table, [name for name in tested if folds.numbers[name] == number]).mean()
        for number in range(1, folds.count + 1)
    ]
    yield _plain_row(facet, TEST, tested, table, lists)._replace(
        measures={
            str(name): _known(sum(mean[name] for mean in means) / len(means))
            for name in table.columns
        },
        folds={str(name): [_known(mean[name]) for mean in means] for name in table.columns},
    )


def _plain_row(
    facet: str, split: str, names: Sequence[str], table: pd.DataFrame, lists: ListCounts
) -> MeansRow:
    scored = _scored(table, names)
    return MeansRow(
        facet,
        split,
        queries=len(scored),
        left_out=len(names) - len(scored),
        without_list=sum(name in lists.without_list for name in scored.index),
        measures=_means(scored),
        intervals={str(name): _interval(scored[name].to_numpy()) for name in scored.columns},
        folds={},
        unjudged=sum(lists.unjudged.get(name, 0) for name in scored.index),
        lacking=sum(lists.lacking.get(name, 0) for name in scored.index),
    )


def field_rows(
    table: pd.DataFrame, queries: QueryGroups, lists: ListCounts, candidates: str = ALL
) -> list[MeansRow]:
    """MDCR's means: of each field of the query papers, then the mean over these fields.

    Medić & Šnajder (SDP 2022), section 4. With facets, each facet has a mean over fields, too.
    The mean over fields has no interval, because it is not a mean over queries.
    """
    rows: list[MeansRow] = []
    for facet, names in queries.groups():
        by_field: dict[str, list[str]] = {}
        for name in names:
            by_field.setdefault(queries.fields.get(name, NO_FIELD), []).append(name)
        of_fields = [
            _plain_row(facet, ALL, by_field[field], table, lists)._replace(
                field=field, candidates=candidates
            )
            for field in sorted(by_field)
        ]
        scored = [row for row in of_fields if row.queries]
        whole = _plain_row(facet, ALL, names, table, lists)._replace(
            field=MEAN_OVER_FIELDS,
            candidates=candidates,
            measures=_means(pd.DataFrame([row.measures for row in scored], columns=table.columns)),
            intervals=dict.fromkeys(map(str, table.columns)),
        )
        rows += [whole, *(scored if facet == ALL else ())]
    return rows


def _scored(table: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    return table.loc[table.index.isin(list(names))]


def _means(table: pd.DataFrame) -> dict[str, float | None]:
    means = table.astype("float64").mean()
    return {str(name): _known(means[name]) for name in table.columns}


def _interval(values: np.ndarray[Any, Any]) -> tuple[float, float] | None:
    """The 95 % t-interval of the mean of the defined values; None for fewer than two."""
    estimate = mean_interval(values[~np.isnan(values)])
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# The form in which values are stored


def as_columns(table: pd.DataFrame) -> dict[str, object]:
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
