"""How far the judges agreed, per query and per facet, before and after adjudication.

Records in, records out. Stage "pre" compares the two judges. Stage "post" compares each judge with
the final label and takes the mean of the two coefficients: not independent agreement, since the
final label is made from those judgments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from statistics import median
from typing import Generic, NamedTuple, TypeVar

from agreement.coefficients import (
    Coefficient,
    Grades,
    Missing,
    alpha_ordinal,
    fill,
    kappa,
    percent_agreement,
    spearman,
)

STATISTICS_VERSION = 2
"""Raise it with every change of a number or a key of the report, even where a formula was wrong.

It is in every payload and in the digest of every stored report, so that a report of another version
is computed again and never read. Version 1, whose payloads do not name it, had no `overruled_mean`.
"""

T = TypeVar("T")
U = TypeVar("U")


class Stage(StrEnum):
    PRE = "pre"
    POST = "post"


@dataclass(frozen=True, slots=True)
class RatedPair:
    """One (query, candidate) pair: what both slots said and what became of it.

    `first` and `second` are the grades of slots 1 and 2, None meaning "cannot judge"; `final` is
    the final label, None while there is none, and for good where the adjudicator has `set_aside`
    the pair. `judged` is False until both slots have answered; such a pair counts nowhere, it only
    makes its query appear.
    """

    query: str
    facet: str
    first: int | None
    second: int | None
    final: int | None = None
    judged: bool = True
    set_aside: bool = False


class PerMetric(NamedTuple, Generic[T]):
    """One thing for each of the four coefficients."""

    spearman: T
    alpha: T
    kappa: T
    percent: T

    def map(self, function: Callable[[T], U]) -> PerMetric[U]:
        return PerMetric(*(function(item) for item in self))


METRICS: PerMetric[Callable[[Grades, Grades], Coefficient]] = PerMetric(
    spearman=spearman, alpha=alpha_ordinal, kappa=kappa, percent=percent_agreement
)


@dataclass(frozen=True, slots=True)
class QueryRow:
    """Agreement on one query at one stage.

    `n` is the pairs the stage can use. `missing` is the judged pairs that lack a grade the stage
    compares: a judgment or, after adjudication, the final label. Under `Missing.EXCLUDE` they add
    up to the judged pairs; under `Missing.ZERO` pairs without a judgment are in both.
    """

    query: str
    facet: str
    stage: Stage
    n: int
    missing: int
    coefficients: PerMetric[Coefficient]


@dataclass(frozen=True, slots=True)
class FacetRow:
    """Agreement on one facet at one stage: the median over the queries that have a value.

    `queries` is all its queries, `defined` how many of them each median is of. `pairs` is the
    pairs that both slots answered.

    `overruled` is the share, 0 to 1, of the pairs with a final label whose label is neither
    judgment: of all these pairs of the facet together. `overruled_mean` is the mean of the same
    share over the queries, which CSFCube's paper reports. Both are None if no pair has a final
    label; a query without one is not in the mean. They belong to the facet, so both stages carry
    them, and the policy on missing grades does not touch them.
    """

    facet: str
    stage: Stage
    queries: int
    pairs: int
    median: PerMetric[float | None]
    defined: PerMetric[int]
    overruled: float | None
    overruled_mean: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Facets in the caller's order; within a facet, queries by id; at each, pre and then post."""

    queries: tuple[QueryRow, ...]
    facets: tuple[FacetRow, ...]


def summarize(
    pairs: Iterable[RatedPair],
    missing: Missing = Missing.EXCLUDE,
    facets: Sequence[str] = (),
) -> Summary:
    """Summarize the agreement on `pairs`.

    `facets` gives the facets' order, and each one named gets its row even if it has no queries;
    others follow in the order they are met. The order of the pairs changes no number. Grades that
    are not on the scale raise GradeError.
    """
    by_facet: dict[str, list[RatedPair]] = {facet: [] for facet in facets}
    for pair in pairs:
        by_facet.setdefault(pair.facet, []).append(pair)
    rows_of = {facet: _query_rows(members, missing) for facet, members in by_facet.items()}
    return Summary(
        queries=tuple(row for rows in rows_of.values() for row in rows),
        facets=tuple(
            _facet_row(facet, stage, members, rows_of[facet])
            for facet, members in by_facet.items()
            for stage in Stage
        ),
    )


def as_json_dict(collection: str, missing: Missing, summary: Summary) -> dict[str, object]:
    """The report as JSON types at full precision, undefined numbers as None."""
    return {
        "statistics": STATISTICS_VERSION,
        "collection": collection,
        "missing": missing.value,
        "queries": [_query_dict(row) for row in summary.queries],
        "facets": [_facet_dict(row) for row in summary.facets],
    }


def _query_rows(pairs: Iterable[RatedPair], missing: Missing) -> list[QueryRow]:
    by_query: dict[str, list[RatedPair]] = defaultdict(list)
    for pair in pairs:
        by_query[pair.query].append(pair)
    return [
        row(query, by_query[query], missing)
        for query in sorted(by_query)
        for row in (_before, _after)
    ]


def _before(query: str, pairs: Sequence[RatedPair], missing: Missing) -> QueryRow:
    judged = [pair for pair in pairs if pair.judged]
    used = [pair for pair in judged if _usable(pair, missing)]
    first, second, _ = _columns(used, missing)
    return QueryRow(
        query=query,
        facet=pairs[0].facet,
        stage=Stage.PRE,
        n=len(used),
        missing=sum(_incomplete(pair) for pair in judged),
        coefficients=METRICS.map(lambda metric: metric(first, second)),
    )


def _after(query: str, pairs: Sequence[RatedPair], missing: Missing) -> QueryRow:
    judged = [pair for pair in pairs if pair.judged]
    labelled = [pair for pair in judged if pair.final is not None]
    due = [pair for pair in judged if pair.final is None and not pair.set_aside]
    used = [pair for pair in labelled if _usable(pair, missing)]
    return QueryRow(
        query=query,
        facet=pairs[0].facet,
        stage=Stage.POST,
        n=len(used),
        missing=sum(_incomplete(pair) or pair.final is None for pair in judged),
        coefficients=(_unfinished(len(due), len(judged)) if due else _with_final(used, missing)),
    )


def _with_final(pairs: Sequence[RatedPair], missing: Missing) -> PerMetric[Coefficient]:
    first, second, final = _columns(pairs, missing)
    return METRICS.map(lambda metric: _mean(metric(first, final), metric(second, final)))


def _unfinished(unlabelled: int, judged: int) -> PerMetric[Coefficient]:
    # Pairs the judges agreed on have their label at once and the others wait for the adjudicator:
    # numbers from the labelled part alone would start at perfect agreement and sink.
    reason = f"unfinished: {unlabelled} of {judged} pairs have no final label"
    return METRICS.map(lambda _: Coefficient(None, reason))


def _mean(first: Coefficient, second: Coefficient) -> Coefficient:
    if first.value is not None and second.value is not None:
        return Coefficient((first.value + second.value) / 2)
    if first.undefined == second.undefined:
        return Coefficient(None, f"both slots against the final label: {first.undefined}")
    reasons = [
        f"slot {slot} against the final label: {coefficient.undefined}"
        for slot, coefficient in ((1, first), (2, second))
        if coefficient.undefined is not None
    ]
    return Coefficient(None, "; ".join(reasons))


def _incomplete(pair: RatedPair) -> bool:
    return pair.first is None or pair.second is None


def _usable(pair: RatedPair, missing: Missing) -> bool:
    # By pair, not by judge: all three comparisons of a query are then about the same pairs.
    return missing is Missing.ZERO or not _incomplete(pair)


def _columns(pairs: Sequence[RatedPair], missing: Missing) -> tuple[Grades, Grades, Grades]:
    """The grades of slot 1, of slot 2 (missing ones filled) and the final labels, (n,) each."""
    return (
        fill([pair.first for pair in pairs], missing),
        fill([pair.second for pair in pairs], missing),
        [pair.final for pair in pairs],
    )


def _facet_row(
    facet: str, stage: Stage, pairs: Sequence[RatedPair], rows: Sequence[QueryRow]
) -> FacetRow:
    judged = [pair for pair in pairs if pair.judged]
    coefficients = [row.coefficients for row in rows if row.stage is stage]
    columns = zip(*coefficients, strict=True) if coefficients else ((), (), (), ())
    values = PerMetric(*(_values(column) for column in columns))
    return FacetRow(
        facet=facet,
        stage=stage,
        queries=len(coefficients),
        pairs=len(judged),
        median=values.map(lambda column: median(column) if column else None),
        defined=values.map(len),
        overruled=_overruled(judged),
        overruled_mean=_overruled_mean(judged),
    )


def _values(coefficients: Iterable[Coefficient]) -> list[float]:
    return [item.value for item in coefficients if item.value is not None]


def _overruled(judged: Iterable[RatedPair]) -> float | None:
    labelled = [pair for pair in judged if pair.final is not None]
    if not labelled:
        return None
    return sum(pair.final not in (pair.first, pair.second) for pair in labelled) / len(labelled)


def _overruled_mean(judged: Iterable[RatedPair]) -> float | None:
    by_query: dict[str, list[RatedPair]] = defaultdict(list)
    for pair in judged:
        by_query[pair.query].append(pair)
    shares = [share for pairs in by_query.values() if (share := _overruled(pairs)) is not None]
    return fsum(shares) / len(shares) if shares else None


def _query_dict(row: QueryRow) -> dict[str, object]:
    return {
        "query": row.query,
        "facet": row.facet,
        "stage": row.stage.value,
        "n": row.n,
        "missing": row.missing,
        **row.coefficients.map(lambda item: item.value)._asdict(),
        "undefined": {
            metric: item.undefined
            for metric, item in row.coefficients._asdict().items()
            if item.undefined is not None
        },
    }


def _facet_dict(row: FacetRow) -> dict[str, object]:
    return {
        "facet": row.facet,
        "stage": row.stage.value,
        "queries": row.queries,
        "pairs": row.pairs,
        "median": row.median._asdict(),
        "defined": row.defined._asdict(),
        "overruled": row.overruled,
        "overruled_mean": row.overruled_mean,
    }
