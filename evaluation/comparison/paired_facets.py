"""The query papers that are judged under two facets, and a system's value under each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from accounts.models import Collection
from evaluation.comparison.figures import ValuePair
from web.lazy import pandas as pd

ValuesByPaper = dict[str, dict[str, list[str]]]  # names of queries, by docno and facet


class FacetPair(NamedTuple):
    """Two facets, by their keys, and the number of query papers that have queries under both."""

    first: str
    second: str
    papers: int


def queries_by_paper(collection: Collection, scored: set[str]) -> ValuesByPaper:
    """The names of the scored queries of each query paper, by facet."""
    found: ValuesByPaper = defaultdict(lambda: defaultdict(list))
    rows = collection.queries.filter(facet__key__gt="").order_by("name")
    for name, docno, facet in rows.values_list(
        "name", "query_paper__document__docno", "facet__key"
    ):
        if name in scored:
            found[docno][facet].append(name)
    return found


def facet_pairs(papers: ValuesByPaper) -> list[FacetPair]:
    """The pairs of facets that share query papers, those with the most papers first."""
    counts = Counter(pair for facets in papers.values() for pair in combinations(sorted(facets), 2))
    pairs = [FacetPair(first, second, number) for (first, second), number in counts.items()]
    return sorted(pairs, key=lambda pair: (-pair.papers, pair))


def paired_values(
    papers: ValuesByPaper, values: pd.Series[float], pair: FacetPair
) -> tuple[list[ValuePair], list[str]]:
    """A system's values of each shared query paper, and the papers that lack one of the two.

    A facet with several queries of the paper has their mean. A query without a value, because it
    has no relevant document, is left out.
    """
    known = values.dropna()
    found: list[ValuePair] = []
    lacking: list[str] = []
    for docno, facets in sorted(papers.items()):
        if pair.first not in facets or pair.second not in facets:
            continue
        first, second = (_mean(known, facets[key]) for key in pair[:2])
        if first is None or second is None:
            lacking.append(docno)
        else:
            found.append(ValuePair(docno, first, second))
    return found, lacking


def _mean(values: pd.Series[float], queries: Sequence[str]) -> float | None:
    present = [float(values[query]) for query in queries if query in values.index]
    return fmean(present) if present else None
