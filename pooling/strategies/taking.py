"""Take-n: every retriever gives n new documents (Mysore et al., 2021)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from pooling.strategies.drawn import (
    Drawn,
    Entry,
    Ranking,
    check_names,
    forced_entries,
    offers,
    retriever_order,
)


def _interleaved(order: Sequence[str], n: int) -> list[str]:
    return list(order) * n


def _sequential(order: Sequence[str], n: int) -> list[str]:
    return [name for name in order for _ in range(n)]


# A mode says whose turn it is: the retrievers' names, each n times.
MODES: dict[str, Callable[[Sequence[str], int], list[str]]] = {
    "interleaved": _interleaved,
    "sequential": _sequential,
}


def draw(
    mode: str,
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    n: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """Draw a pool: the forced sources whole, then n new documents from every retriever.

    Forced sources go first, by name, each in its own order. The retrievers' order is random by
    (seed, query paper); the order of the mappings never matters. "interleaved" draws one document
    per retriever and round; "sequential" draws all n of a retriever before the next one's, which
    is what the released CSFCube pools show (Mysore et al., 2021). A retriever whose next document
    is already pooled draws from further down its list. The query paper is never pooled, no
    document is pooled twice, and no retriever draws an `excluded` one.

    Raises ValueError for an unknown mode, for n < 1 and for a name that is both a forced source
    and a retriever.
    """
    _check(mode, rankings, forced, n)
    order = retriever_order(rankings, seed, query_paper)
    pooled = {query_paper}
    entries = list(forced_entries(forced, pooled))
    pooled.update(excluded)
    left = {name: offers(rankings[name], pooled) for name in order}
    shortfall, depth = dict.fromkeys(order, 0), dict.fromkeys(order, 0)
    for name in MODES[mode](order, n):
        offer = next(left[name], None)
        if offer is None:
            shortfall[name] += 1
            continue
        depth[name], docno = offer
        pooled.add(docno)
        entries.append(Entry(docno, name, len(entries) + 1, depth[name]))
    return Drawn(order, tuple(entries), shortfall, depth)


def _check(
    mode: str, rankings: Mapping[str, Ranking], forced: Mapping[str, Ranking], n: int
) -> None:
    if mode not in MODES:
        raise ValueError(f"no drawing mode {mode!r}; there are: {', '.join(sorted(MODES))}")
    if n < 1:
        raise ValueError(f"n is {n}; every retriever draws at least 1 document")
    check_names(rankings, forced)
