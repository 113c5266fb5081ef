"""MDCR's candidates: some of each model's best, and the models that agree least.

Medić & Šnajder (SDP 2022), §4.1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice

from corpus.ordering import shuffled
from pooling.strategies.drawn import (
    Drawn,
    Place,
    Ranking,
    assembled,
    check_names,
    forced_entries,
    offers,
    retriever_order,
)

RankingsByQuery = Mapping[str, Ranking]  # a retriever's lists by query paper

GRAPH = "graph"  # the source that gives its first n, whatever suffix its name has


def sample_of_tops(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    n: int,
    top: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    graph_in_order: bool = True,
) -> Drawn:
    """n documents out of every retriever's best `top`, the known positives left out.

    The known positives are the forced and the excluded documents; the best `top` are counted
    without them. A retriever's n are the first in sha256 order that are not pooled yet, one
    retriever after another in the query paper's order. What its best `top` cannot give is its
    shortfall.

    `graph`, and a run whose name begins with `graph.`, is no model: its n are the first of its
    whole list that are not pooled yet, because the neighbours of the closest reference come first.
    Without `graph_in_order` they are drawn like a model's, as in manifests up to format 3.

    Raises ValueError for n < 1 and for a `top` below n.
    """
    if not 1 <= n <= top:
        raise ValueError(f"n is {n}; it must be at least 1 and at most the top {top} it is out of")
    check_names(rankings, forced)
    order = retriever_order(rankings, seed, query_paper)
    positives = {query_paper}
    first = list(forced_entries(forced, positives))
    positives.update(excluded)
    chosen: dict[str, Place] = {}
    shortfall = {}
    for name in order:
        if graph_in_order and name.partition(".")[0] == GRAPH:
            best = _best(rankings[name], len(rankings[name]), positives)
            ordered = list(best)
        else:
            best = _best(rankings[name], top, positives)
            ordered = shuffled(best, seed=seed, purpose=f"top-of-{name}", query=query_paper)
        taken = list(islice((docno for docno in ordered if docno not in chosen), n))
        chosen |= {docno: Place(best[docno], name) for docno in taken}
        shortfall[name] = n - len(taken)
    return assembled(order, first, chosen.items(), shortfall)


def _best(ranking: Ranking, top: int, positives: Collection[str]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for rank, docno in offers(ranking, positives):
        if len(ranks) == top:
            break
        ranks.setdefault(docno, rank)
    return ranks


@dataclass(frozen=True)
class JaccardMatrix:
    """How much retrievers overlap: `values[i][j]` in [0, 1] is of names[i] and names[j].

    `names` are sorted and the matrix is symmetric with 1 on its diagonal. None: undefined,
    because no query paper has a document from either.
    """

    depth: int
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]

    def of(self, one: str, other: str) -> float | None:
        return self.values[self.names.index(one)][self.names.index(other)]

    def mean(self, name: str) -> float | None:
        """The mean overlap with the other retrievers; None when there is none to average."""
        others = [self.of(name, other) for other in self.names if other != name]
        known = [value for value in others if value is not None]
        return math.fsum(known) / len(known) if known else None


def jaccard_matrix(
    rankings_by_retriever: Mapping[str, RankingsByQuery], depth: int
) -> JaccardMatrix:
    """|A ∩ B| / |A ∪ B| of two retrievers' best `depth`, averaged over the query papers.

    A query paper for which both are empty says nothing about their overlap and is left out; one
    that only one of them ranked counts as 0. Raises ValueError for a depth < 1.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}; the overlap is of 1 document at least")
    names = tuple(sorted(rankings_by_retriever))
    tops = {
        name: {query: frozenset(ranking[:depth]) for query, ranking in lists.items()}
        for name, lists in rankings_by_retriever.items()
    }
    half = {
        (one, other): 1.0 if one == other else _mean_jaccard(tops[one], tops[other])
        for place, one in enumerate(names)
        for other in names[place:]
    }
    values = tuple(
        tuple(half[min(one, other), max(one, other)] for other in names) for one in names
    )
    return JaccardMatrix(depth, names, values)


def choose_models(matrix: JaccardMatrix, count: int) -> list[str]:
    """The `count` retrievers whose mean overlap with all the others is lowest, lowest first.

    Equal means go by name; an undefined mean comes last. Raises ValueError for a count below 1 or
    above the number of retrievers.
    """
    if not 1 <= count <= len(matrix.names):
        raise ValueError(f"{count} models asked for; there are {len(matrix.names)}")

    def overlap(name: str) -> tuple[float, str]:
        mean = matrix.mean(name)
        return math.inf if mean is None else mean, name

    return sorted(matrix.names, key=overlap)[:count]


def _mean_jaccard(
    one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]
) -> float | None:
    empty: frozenset[str] = frozenset()
    pairs = [
        (one.get(query, empty), other.get(query, empty)) for query in one.keys() | other.keys()
    ]
    shares = [len(a & b) / len(a | b) for a, b in pairs if a or b]
    return math.fsum(shares) / len(shares) if shares else None
