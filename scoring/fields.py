"""The groups of MDCR's evaluation: the fields of query papers, and the types of candidates.

Medić & Šnajder (SDP 2022), section 4. By type, a system ranks a query's positives and the negatives
that one source drew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from accounts.models import Collection
from pooling.models import Contribution
from scoring.measures.judged_ranks import Qrels
from scoring.score_tables import NO_FIELD


def query_fields(collection: Collection) -> dict[str, str]:
    """The first field of each query's paper, by the query's name."""
    rows = collection.queries.values_list("name", "query_paper__document__fields")
    return {name: (fields[0] if fields else NO_FIELD) for name, fields in rows}


def qrels_by_type(collection: Collection, qrels: Qrels, least: int) -> dict[str, Qrels]:
    """By source: each query's relevant documents, and the others that the source drew.

    A query without such another document is left out, and so is a source without such a query.
    """
    chosen = {
        source: _with_negatives(qrels, drawn, least)
        for source, drawn in _candidates_by_source(collection).items()
    }
    return {source: labels for source, labels in chosen.items() if labels}


def _candidates_by_source(collection: Collection) -> dict[str, dict[str, set[str]]]:
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
    qrels: Qrels, drawn: Mapping[str, set[str]], least: int
) -> dict[str, dict[str, int]]:
    chosen = {}
    for query, grades in qrels.items():
        documents = drawn.get(query, set())
        kept = {
            docno: grade for docno, grade in grades.items() if grade >= least or docno in documents
        }
        if any(grade < least for grade in kept.values()):
            chosen[query] = kept
    return chosen
