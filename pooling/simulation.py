"""What another order of judging would have cost, over pools that are judged already. Pure.

Adaptive orders look at each judgment before they choose what is judged next. They are for asking
"how many judgments would have found most of the relevant documents?" and never draw a pool: a pool
drawn by what was judged relevant flatters the runs that it follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from corpus.ordering import shuffled

Lists = Mapping[str, Sequence[str]]  # by source, docnos best first
Relevant = Mapping[str, bool]  # of every judged document, whether it is relevant


@dataclass(frozen=True)
class Simulated:
    """One query judged in one order.

    `order`: the documents as they were judged, all of them. `curve[i]` relevant documents are found
    after i + 1 judgments. `needed`: the fewest judgments that find the target; None, which is
    undefined and not 0, where no document is relevant.
    """

    order: tuple[str, ...]
    curve: tuple[int, ...]
    needed: int | None

    @property
    def judged(self) -> int:
        return len(self.order)

    @property
    def relevant(self) -> int:
        return self.curve[-1] if self.curve else 0


def simulate(
    method: str, lists: Lists, relevant: Relevant, seed: str, query: str, target: float = 0.95
) -> Simulated:
    """Judge the documents of the lists in the order of `method`, one of METHODS.

    Only judged documents count: what is in a list and not in `relevant` is passed over. `target`
    is the share of the relevant ones to be found, rounded up to whole documents. Ties between
    sources go by their sha256 order for this query. Raises ValueError for an unknown method and
    for a target outside (0, 1].
    """
    if method not in METHODS:
        raise ValueError(f"no method {method!r}; there are: {', '.join(METHODS)}")
    names = shuffled(lists, seed=seed, purpose="simulation", query=query)
    judged = {name: [one for one in lists[name] if one in relevant] for name in names}
    order = tuple(METHODS[method](judged, relevant))
    curve = tuple(accumulate(int(relevant[docno]) for docno in order))
    return Simulated(order, curve, judgments_needed(curve, target))


def judgments_needed(curve: Sequence[int], target: float) -> int | None:
    """The fewest judgments that find `target` of all relevant documents; None if there are none.

    `curve[i]`: relevant documents found after i + 1 judgments. Raises ValueError for a target
    outside (0, 1].
    """
    if not 0 < target <= 1:
        raise ValueError(f"the target is {target}; it must be a share above 0 and up to 1")
    if not curve or not curve[-1]:
        return None
    wanted = math.ceil(Fraction(str(target)) * curve[-1])
    return next(count for count, found in enumerate(curve, start=1) if found >= wanted)


def by_rank(lists: Lists, relevant: Relevant) -> Iterator[str]:
    """Rank by rank over all sources, whatever is found: what the others are compared with."""
    left = _Left(lists)
    while waiting := left.sources():
        for name in waiting:
            docno = left.next_of(name)
            if docno is not None:
                yield docno


def move_to_front(lists: Lists, relevant: Relevant) -> Iterator[str]:
    """Stay with a source while it is right; after a miss it yields to those with fewer misses.

    Local move-to-front pooling (Cormack, Palmer & Clarke, SIGIR 1998) by priorities: every source
    begins with the same one, a non-relevant document lowers it by 1, and the source with the
    highest is judged next, one that was just right before others of the same priority.
    """
    left = _Left(lists)
    misses = dict.fromkeys(lists, 0)
    front: str | None = None
    while waiting := left.sources():
        if front not in waiting:
            front = min(waiting, key=lambda name: misses[name])
        docno = left.next_of(front)
        if docno is None:
            continue
        yield docno
        if not relevant[docno]:
            misses[front] += 1
            front = None


def max_mean(lists: Lists, relevant: Relevant) -> Iterator[str]:
    """The source with the highest expected precision is judged next: MaxMean.

    Losada, Parapar & Barreiro (Information Processing & Management 53, 2017), the stationary
    variant. Each source is the arm of a bandit with a uniform prior, Beta(1, 1); after `hits`
    relevant and `misses` other judgments its mean is (hits + 1)/(hits + misses + 2). A judgment
    counts for the source that was chosen.
    """
    left = _Left(lists)
    hits, misses = dict.fromkeys(lists, 0), dict.fromkeys(lists, 0)

    def mean(name: str) -> Fraction:
        return Fraction(hits[name] + 1, hits[name] + misses[name] + 2)

    while waiting := left.sources():
        arm = max(waiting, key=mean)  # the first of equals
        docno = left.next_of(arm)
        if docno is not None:
            yield docno
            (hits if relevant[docno] else misses)[arm] += 1


METHODS: dict[str, Callable[[Lists, Relevant], Iterator[str]]] = {
    "by_rank": by_rank,
    "move_to_front": move_to_front,
    "max_mean": max_mean,
}


class _Left:
    """What is left to judge of every source; a document judged once is passed over elsewhere."""

    def __init__(self, lists: Lists) -> None:
        self._rest = {name: iter(docnos) for name, docnos in lists.items()}
        self._judged: set[str] = set()

    def sources(self) -> list[str]:
        """Those not known to be exhausted, in their order."""
        return list(self._rest)

    def next_of(self, name: str) -> str | None:
        """The source's next document that was not judged; None, once, when it has no more."""
        if name not in self._rest:
            return None
        for docno in self._rest[name]:
            if docno not in self._judged:
                self._judged.add(docno)
                return docno
        del self._rest[name]
        return None
