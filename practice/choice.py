"""The choice of candidates for a pilot round. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.ordering import order_key, shuffled


def spread_candidates(docnos: Sequence[str], number: int, *, seed: str, query: str) -> list[str]:
    """Choose `number` candidates of a pool, one from each of as many equal parts.

    `docnos` are in the order of the pool, whose first candidates are the best of the retrievers. So
    good and bad candidates occur. All of them, if the pool has no more.
    """
    size = len(docnos)
    if size <= number:
        return list(docnos)
    parts = (docnos[size * i // number : size * (i + 1) // number] for i in range(number))
    return [
        min(part, key=lambda docno: (order_key(seed, "pilot", query, docno), docno))
        for part in parts
    ]


def queries_by_paper(queries: Iterable[tuple[str, str]], *, seed: str) -> list[str]:
    """The names of queries, given with their query papers, in random order of the papers.

    The queries of a paper stay together. People who judge a query in practice never judge a query
    of its paper, so a round uses few papers.
    """
    names: dict[str, list[str]] = {}
    for name, paper in queries:
        names.setdefault(paper, []).append(name)
    papers = shuffled(names, seed=seed, purpose="pilot", query="")
    return [name for paper in papers for name in sorted(names[paper])]
