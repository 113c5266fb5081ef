"""Ways to draw a pool from ranked lists. Pure: the same lists, order and n give the same pool.

    drawn, shortfall = draw("interleaved", {"bm25": ["d4", "d7"], "tfidf": ["d7", "d9"]}, 1,
                            order=["tfidf", "bm25"], forced={"cited": ["d2"]}, own="d1")

Pooled are d2 of cited, d7 of tfidf and d4 of bm25, and no source is short.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from web.errors import BadInput

Lists = Mapping[str, Sequence[str]]  # docnos, best first, by source
Shortfall = dict[str, int]

RRF_K = 60  # Cormack, Clarke & Büttcher, SIGIR 2009
ALL_SOURCES = "all sources"  # what is short where sources have no share of their own


class Drawn(NamedTuple):
    """A pooled document. `rank` is from 1, in the list of the source that drew it; None if it was forced."""

    docno: str
    source: str
    rank: int | None


def draw(
    strategy: str,
    lists: Lists,
    n: int,
    *,
    order: Sequence[str],
    forced: Lists,
    own: str = "",
    excluded: Collection[str] = (),
) -> tuple[list[Drawn], Shortfall]:
    """A query's pool in the order drawn, and how many documents each source is short of what it was asked for.

    The forced sources come first and whole, by name. Then the strategy draws what is neither pooled nor `excluded`
    nor the query's `own` document. `order` is the query's random order of the names in `lists`.
    """
    if strategy not in STRATEGIES:
        raise BadInput(f"There is no strategy {strategy!r}. Use {', '.join(STRATEGIES)}.")
    if n < 1:
        raise BadInput(f"n must be at least 1, got {n}.")
    if both := sorted(lists.keys() & forced.keys()):
        raise BadInput(f"{both[0]} is forced, so nothing can be drawn from it. Remove it from the sources.")
    first: dict[str, Drawn] = {}
    for source in sorted(forced):
        for docno in forced[source]:
            if docno != own:
                first.setdefault(docno, Drawn(docno, source, None))
    drawn, shortfall = STRATEGIES[strategy](lists, n, order, {own, *excluded, *first}, own)
    return [*first.values(), *drawn], {name: missing for name, missing in shortfall.items() if missing > 0}


def interleaved(
    lists: Lists, n: int, order: Sequence[str], skipped: Collection[str], own: str
) -> tuple[list[Drawn], Shortfall]:
    """Each source draws one document a round, n rounds long."""
    return _take_turns([*order] * n, lists, skipped)


def sequential(
    lists: Lists, n: int, order: Sequence[str], skipped: Collection[str], own: str
) -> tuple[list[Drawn], Shortfall]:
    """Each source draws its n documents before the next, as CSFCube's pools show (Mysore et al., 2021)."""
    return _take_turns([name for name in order for _ in range(n)], lists, skipped)


def _take_turns(turns: Iterable[str], lists: Lists, skipped: Collection[str]) -> tuple[list[Drawn], Shortfall]:
    """A source whose next document is pooled already draws from further down its list."""
    seen = set(skipped)
    rest = {name: enumerate(docnos, 1) for name, docnos in lists.items()}
    drawn: list[Drawn] = []
    shortfall: Shortfall = defaultdict(int)
    for name in turns:
        found = next(((docno, rank) for rank, docno in rest[name] if docno not in seen), None)
        if found is None:
            shortfall[name] += 1
            continue
        drawn.append(Drawn(found[0], name, found[1]))
        seen.add(found[0])
    return drawn, shortfall


def depth_k(
    lists: Lists, n: int, order: Sequence[str], skipped: Collection[str], own: str
) -> tuple[list[Drawn], Shortfall]:
    """Every document that some source has at rank n or better (Spärck Jones & van Rijsbergen, 1975)."""
    drawn = _by_best_rank({name: docnos[:n] for name, docnos in lists.items()}, order, skipped)
    return list(drawn), {name: n - len(docnos) for name, docnos in lists.items()}


def fused(
    lists: Lists, n: int, order: Sequence[str], skipped: Collection[str], own: str
) -> tuple[list[Drawn], Shortfall]:
    """The n documents with the largest Σ 1/(60 + rank) over all lists; ties by docno descending.

    Forced and excluded documents keep their ranks, the query's own has none. The source that drew a document is the
    one that ranks it best. `fsum` rounds once, so that the sums are the same on every machine.
    """
    parts: dict[str, list[float]] = defaultdict(list)
    for docnos in lists.values():
        for rank, docno in enumerate((docno for docno in dict.fromkeys(docnos) if docno != own), 1):
            parts[docno].append(1 / (RRF_K + rank))
    documents = _by_best_rank(lists, order, skipped)
    best = sorted(documents, key=lambda each: (math.fsum(parts[each.docno]), each.docno), reverse=True)[:n]
    return best, {ALL_SOURCES: n - len(best)}


def _by_best_rank(lists: Lists, order: Sequence[str], skipped: Collection[str]) -> Iterator[Drawn]:
    """Rank by rank through all lists; within a rank in the query's order of sources."""
    seen = set(skipped)
    for place in range(max(map(len, lists.values()), default=0)):
        for name in order:
            if place < len(lists[name]) and lists[name][place] not in seen:
                seen.add(lists[name][place])
                yield Drawn(lists[name][place], name, place + 1)


Strategy = Callable[[Lists, int, Sequence[str], Collection[str], str], tuple[list[Drawn], Shortfall]]
STRATEGIES: dict[str, Strategy] = {
    "interleaved": interleaved,
    "sequential": sequential,
    "depth-k": depth_k,
    "rrf": fused,
    "mdcr": sequential,  # of the lists that pooling/mdcr.py makes
}
