"""MDCR's evaluation: by field of the query papers, and by type of the candidates.

Medić & Šnajder (SDP 2022), section 4: the means of each field, then the mean over fields. By type,
a system ranks a query's positives and the negatives that one source drew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from accounts.models import Collection
from evaluation.measures.judged_ranks import Qrels
from evaluation.measures.names import Measure
from evaluation.measures.scoring import score_lists
from pooling.models import Contribution
from web.lazy import pandas as pd

ALL = "all"
NO_FIELD = "no field"
MEAN = "mean over fields"


def field_rows(
    collection: Collection,
    table: pd.DataFrame,
    qrels: Qrels,
    lists: Mapping[str, Sequence[str]],
    measures: Sequence[Measure],
) -> list[dict[str, Any]]:
    """The rows by field for all candidates, and then for the candidates of each type."""
    fields = query_fields(collection)
    rows = list(_rows_of(table, fields, ALL))
    for kind, drawn in candidates_by_source(collection).items():
        of_kind = _with_negatives(qrels, drawn, measures)
        if of_kind:
            scored = score_lists(_only(lists, of_kind), of_kind, measures)
            rows += _rows_of(scored, fields, kind)
    return rows


def _rows_of(
    table: pd.DataFrame, fields: Mapping[str, str], candidates: str
) -> Iterator[dict[str, Any]]:
    by_field = table.groupby([fields[query] for query in table.index])
    means = by_field.mean()
    sizes = by_field.size()
    for field in means.index:
        yield _row(str(field), candidates, int(sizes[field]), means.loc[field])
    yield _row(MEAN, candidates, len(table), means.mean())


def _row(field: str, candidates: str, queries: int, means: pd.Series[float]) -> dict[str, Any]:
    return {
        "facet": ALL,
        "split": ALL,
        "field": field,
        "candidates": candidates,
        "queries": queries,
        "left_out": 0,
        "without_list": 0,
        "measures": {str(name): None if value != value else value for name, value in means.items()},
    }


def query_fields(collection: Collection) -> dict[str, str]:
    """The first field of each query's paper, by the query's name."""
    rows = collection.queries.values_list("name", "query_paper__document__fields")
    return {name: (fields[0] if fields else NO_FIELD) for name, fields in rows}


def candidates_by_source(collection: Collection) -> dict[str, dict[str, set[str]]]:
    """Source to query name to the docnos that the source drew into the query's pool."""
    rows = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection,
        candidate__pool__frozen_at__isnull=False,
        drawn=True,
    ).values_list("source", "candidate__pool__query_paper_id", "candidate__document__docno")
    names: dict[int, list[str]] = defaultdict(list)
    for paper, name in collection.queries.values_list("query_paper_id", "name"):
        names[paper].append(name)
    drawn: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for source, paper, docno in rows.order_by().iterator():
        for name in names[paper]:
            drawn[source][name].add(docno)
    return dict(sorted(drawn.items()))


def _with_negatives(
    qrels: Qrels, drawn: Mapping[str, set[str]], measures: Sequence[Measure]
) -> dict[str, dict[str, int]]:
    """Each query's relevant documents and the others that the source drew."""
    least = min(measure.least for measure in measures)
    chosen = {}
    for query, grades in qrels.items():
        documents = drawn.get(query, set())
        kept = {
            docno: grade for docno, grade in grades.items() if grade >= least or docno in documents
        }
        if any(grade < least for grade in kept.values()):
            chosen[query] = kept
    return chosen


def _only(lists: Mapping[str, Sequence[str]], qrels: Qrels) -> dict[str, list[str]]:
    return {
        query: [docno for docno in lists[query] if docno in grades]
        for query, grades in qrels.items()
        if query in lists
    }
