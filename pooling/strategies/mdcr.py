"""MDCR's candidates: a sample of each model's best, and the models that overlap least.

Medić & Šnajder (SDP 2022), §4.1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice

from corpus.ordering import shuffled
from pooling.strategies.definition import Parameter, Strategy, by_docno
from pooling.strategies.drawn_pool import (
    BestRank,
    DrawnPool,
    Ranking,
    assemble_pool,
    begin_pool,
    unpooled,
)

RankingsByQuery = Mapping[str, Ranking]  # a retriever's lists by query paper

GRAPH = "graph"  # the run that gives its first n documents, with any suffix to its name


def sample_of_tops(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    n: int,
    top: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """n documents from every retriever's best `top`, without the known positives.

    The known positives are the forced and the excluded documents; the best `top` are counted
    without them. Retrievers draw in the query paper's order. Each draws the first n in sha256 order
    that are not pooled yet. The documents missing from its n are its shortfall.

    `graph`, and a run whose name begins with `graph.`, is not a model. It draws the first n of its
    whole list that are not pooled yet, because the neighbours of the closest reference come first.

    Raises ValueError for n < 1 and for a `top` below n.
    """
    if not 1 <= n <= top:
        raise ValueError(f"n must be from 1 to top ({top}), got {n}")
    order, first, positives = begin_pool(rankings, forced, seed, query_paper, excluded, is_topic)
    documents: dict[str, BestRank] = {}
    shortfall = {}
    for name in order:
        if name.partition(".")[0] == GRAPH:
            best = _best(rankings[name], len(rankings[name]), positives)
            ordered_docnos = list(best)
        else:
            best = _best(rankings[name], top, positives)
            ordered_docnos = shuffled(best, seed=seed, purpose=f"top-of-{name}", query=query_paper)
        sample = list(islice((docno for docno in ordered_docnos if docno not in documents), n))
        documents |= {docno: BestRank(best[docno], name) for docno in sample}
        shortfall[name] = n - len(sample)
    return assemble_pool(order, first, documents.items(), shortfall)


def _best(ranking: Ranking, top: int, positives: Collection[str]) -> dict[str, int]:
    """The best `top` documents that are not positives, with their ranks in the list."""
    ranks: dict[str, int] = {}
    for rank, docno in unpooled(ranking, positives):
        if len(ranks) == top:
            break
        ranks.setdefault(docno, rank)
    return ranks


@dataclass(frozen=True)
class JaccardMatrix:
    """The overlap of retrievers: `values[i][j]` in [0, 1] is for names[i] and names[j].

    `names` are sorted. The matrix is symmetric with 1 on its diagonal. A value is None if no query
    paper has a document from either retriever, so that the overlap is undefined.
    """

    depth: int
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]

    def of(self, name: str, other: str) -> float | None:
        return self.values[self.names.index(name)][self.names.index(other)]

    def mean(self, name: str) -> float | None:
        """The mean overlap with the other retrievers; None if no overlap is defined."""
        overlaps = [self.of(name, other) for other in self.names if other != name]
        defined_overlaps = [value for value in overlaps if value is not None]
        return math.fsum(defined_overlaps) / len(defined_overlaps) if defined_overlaps else None


def jaccard_matrix(
    rankings_by_retriever: Mapping[str, RankingsByQuery], depth: int
) -> JaccardMatrix:
    """|A ∩ B| / |A ∪ B| of two retrievers' best `depth`, averaged over the query papers.

    A query paper for which both lists are empty does not count. If only one list is empty, the
    overlap is 0. Raises ValueError for a depth < 1.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
    names = tuple(sorted(rankings_by_retriever))
    tops = {
        name: {query: frozenset(ranking[:depth]) for query, ranking in lists.items()}
        for name, lists in rankings_by_retriever.items()
    }
    half = {
        (name, other): 1.0 if name == other else _mean_jaccard(tops[name], tops[other])
        for position, name in enumerate(names)
        for other in names[position:]
    }
    values = tuple(
        tuple(half[min(name, other), max(name, other)] for other in names) for name in names
    )
    return JaccardMatrix(depth, names, values)


def choose_models(matrix: JaccardMatrix, count: int) -> list[str]:
    """The `count` retrievers with the lowest mean overlap with the others, lowest first.

    Equal means go by name; undefined means come last. Raises ValueError for a count below 1 or
    above the number of retrievers.
    """
    if not 1 <= count <= len(matrix.names):
        raise ValueError(f"count must be from 1 to {len(matrix.names)} models, got {count}")

    def overlap(name: str) -> tuple[float, str]:
        mean = matrix.mean(name)
        return math.inf if mean is None else mean, name

    return sorted(matrix.names, key=overlap)[:count]


def _mean_jaccard(
    tops: Mapping[str, frozenset[str]], other_tops: Mapping[str, frozenset[str]]
) -> float | None:
    empty: frozenset[str] = frozenset()
    pairs = [
        (tops.get(query, empty), other_tops.get(query, empty))
        for query in tops.keys() | other_tops.keys()
    ]
    shares = [len(a & b) / len(a | b) for a, b in pairs if a or b]
    return math.fsum(shares) / len(shares) if shares else None


MDCR = Strategy(
    "mdcr",
    "n of each top N",
    "n random documents of every retriever's top N, without the known positives, as in MDCR. "
    "The run graph gives its first n.",
    (
        Parameter("n", "whole", 10, "Documents from every retriever."),
        Parameter("top", "whole", 200, "The number of best documents that n are drawn from."),
    ),
    by_docno(sample_of_tops),
    depth_parameter="top",
)
