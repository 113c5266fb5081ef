"""The values of measures for a system's lists, as a table of queries and measures. Pure."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np

from scoring.measures.judged_ranks import Floats, JudgedDocuments, JudgedRanks, Qrels
from scoring.measures.names import Measure, UnknownMeasure
from scoring.measures.scopes import Scope
from web.lazy import pandas as pd

Lists = Mapping[str, Sequence[str]]  # query to docnos, best first
SCORED_TOGETHER = 200  # queries; ir-measures takes them as dictionaries


def score_lists(lists: Lists, qrels: Qrels, measures: Sequence[Measure]) -> pd.DataFrame:
    """The value of each measure for each query, as fractions.

    Index: the queries of the qrels that every measure has a relevant document for, by name, so all
    means are over the same queries. Columns: the measures' names. A query without a list scores 0.
    """
    judged = JudgedDocuments(scored_queries(qrels, measures))
    return score(judged, lists, measures)


def score(judged: JudgedDocuments, lists: Lists, measures: Sequence[Measure]) -> pd.DataFrame:
    """`score_lists` for qrels that are columns already, as when many systems are scored.

    A value is NaN where a query has no document that the measure counts as relevant.
    """
    ranks = judged.ranks_of(lists.items())
    others = [measure for measure in measures if measure.compute is None]
    values = {**ours(ranks, measures), **(_standard(ranks, lists, others) if others else {})}
    columns = {measure.name: values[measure.name] for measure in measures}
    return pd.DataFrame(columns, index=pd.Index(judged.queries, name="query"))


def ours(ranks: JudgedRanks, measures: Iterable[Measure]) -> dict[str, Floats]:
    """The values of the measures that we compute ourselves."""
    measures = list(measures)
    has_restricted = any(measure.scope is not Scope.OPEN for measure in measures)
    restricted = ranks.condensed() if has_restricted else ranks
    return {
        measure.name: measure.compute(ranks if measure.scope is Scope.OPEN else restricted)
        for measure in measures
        if measure.compute
    }


def _standard(ranks: JudgedRanks, lists: Lists, measures: Sequence[Measure]) -> dict[str, Floats]:
    """The values of the measures that ir-measures computes.

    It gets numbers for queries, because gdeval reads no other ids, and scores that keep our order
    of the documents, so ties stay as they were broken.
    """
    judged = ranks.judged
    values: dict[str, Floats] = {
        measure.name: np.zeros(len(judged.queries)) for measure in measures
    }
    by_standard = {measure.standard: measure for measure in measures}
    with_list = [number for name, number in judged.number.items() if lists.get(name)]
    for first in range(0, len(with_list), SCORED_TOGETHER):
        numbers = with_list[first : first + SCORED_TOGETHER]
        qrels = {str(number): dict(judged.grades[number]) for number in numbers}
        for scope in sorted({measure.scope for measure in measures}):
            run = {
                str(number): _as_run(_in_scope(lists[name], judged.grades[number], scope))
                for number in numbers
                for name in [judged.queries[number]]
            }
            wanted = [measure.standard for measure in measures if measure.scope is scope]
            for metric in _calculated(wanted, qrels, run):
                values[by_standard[metric.measure].name][int(metric.query_id)] = metric.value
    for measure in measures:
        values[measure.name][judged.relevant(measure.least) == 0] = np.nan
    return values


def _in_scope(docnos: Sequence[str], grades: Mapping[str, int], scope: Scope) -> Sequence[str]:
    return docnos if scope is Scope.OPEN else [docno for docno in docnos if docno in grades]


def _as_run(docnos: Sequence[str]) -> dict[str, float]:
    return {docno: float(-place) for place, docno in enumerate(docnos)}


def _calculated(standards: list[Any], qrels: Any, run: Any) -> list[Any]:
    try:
        return list(ir_measures.iter_calc(standards, qrels, run))
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        names = ", ".join(map(str, standards))
        raise UnknownMeasure(
            f"ir-measures failed to compute {names}: {error}. Some of its measures need other "
            "programs, such as Perl for ERR. Choose other measures."
        ) from error


def scored_queries(
    qrels: Qrels, measures: Iterable[Measure], *, count_empty: bool = False
) -> dict[str, Mapping[str, int]]:
    """The queries with a document that every measure counts as relevant.

    Those without one are left out of all means alike. With `count_empty` they are scored, too, and
    have the value NaN, which the caller counts as 0 as trec_eval does.
    """
    if count_empty:
        return dict(qrels)
    least = max(measure.least for measure in measures)
    return {
        query: grades
        for query, grades in qrels.items()
        if any(grade >= least for grade in grades.values())
    }
