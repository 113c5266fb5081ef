"""Pools with their final labels, as the simulation of other orders of judging needs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from pooling.models import Contribution


class JudgedPool(NamedTuple):
    """A query's pool. `lists`: by source, docnos best first. `grades`: those with a final label.

    `without_label` is the number of the pool's pairs without a label, for any reason.
    """

    query: str
    lists: dict[str, list[str]]
    grades: dict[str, int]
    without_label: int


def judged_pools(collection: Collection) -> Iterator[JudgedPool]:
    """Every query of which at least one pair has a final label, by name."""
    papers = dict(collection.queries.values_list("name", "query_paper_id"))
    for query, pairs in groupby(labelled_pairs(collection), key=lambda pair: pair.query):
        finals = {pair.docno: pair.final for pair in pairs}
        grades = {docno: final for docno, final in finals.items() if final is not None}
        if grades:
            lists = lists_of_sources(papers[query])
            yield JudgedPool(query, lists, grades, len(finals) - len(grades))


def lists_of_sources(query_paper_id: int) -> dict[str, list[str]]:
    """By rank; a source without ranks, as in an imported pool, in the order of the draw."""
    rows = Contribution.objects.filter(candidate__pool__query_paper=query_paper_id).values_list(
        "source", "rank", "candidate__position", "candidate__document__docno"
    )
    ranked_docnos: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for source, rank, position, docno in rows.order_by():
        ranked_docnos[source].append((position if rank is None else rank, docno))
    return {
        source: [docno for _, docno in sorted(pairs)] for source, pairs in ranked_docnos.items()
    }
