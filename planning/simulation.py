"""The cost of judging in other orders, simulated on pools that are judged already. Pure.

Adaptive orders choose the next document by the judgments so far. They answer the question how many
judgments find most of the relevant documents. They never draw a pool, because such a pool would
favour the runs that the order follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from corpus.ordering import shuffled

ListsBySource = Mapping[str, Sequence[str]]  # by source, docnos best first
Relevant = Mapping[str, bool]  # of every judged document, whether it is relevant


@dataclass(frozen=True)
class Simulated:
    """A query judged in one order.

    `order`: all documents in the order judged. `curve[i]`: relevant documents found after i + 1
    judgments. `needed`: the fewest judgments that find the target; None, because it is undefined,
    if no document is relevant.
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
    method: str,
    lists: ListsBySource,
    relevant: Relevant,
    seed: str,
    query: str,
    target: float = 0.95,
) -> Simulated:
    """Judge the documents of the lists in the order of `method`, one of METHODS.

    Documents that are not in `relevant` were not judged and are skipped. `target`
    is the share of the relevant ones to be found, rounded up to whole documents. Ties between
    sources go by their sha256 order for this query. Raises ValueError for an unknown method and
    for a target outside (0, 1].
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; use one of: {', '.join(METHODS)}")
    names = shuffled(lists, seed=seed, purpose="simulation", query=query)
    judged = {name: [docno for docno in lists[name] if docno in relevant] for name in names}
    order = tuple(METHODS[method](judged, relevant))
    curve = tuple(accumulate(int(relevant[docno]) for docno in order))
    return Simulated(order, curve, judgments_needed(curve, target))


def judgments_needed(curve: Sequence[int], target: float) -> int | None:
    """The fewest judgments that find `target` of all relevant documents; None if there are none.

    `curve[i]`: relevant documents found after i + 1 judgments. Raises ValueError for a target
    outside (0, 1].
    """
    if not 0 < target <= 1:
        raise ValueError(f"the target must be above 0 and at most 1, got {target}")
    if not curve or not curve[-1]:
        return None
    target_count = math.ceil(Fraction(str(target)) * curve[-1])
    return next(count for count, relevant in enumerate(curve, start=1) if relevant >= target_count)


def by_rank(lists: ListsBySource, relevant: Relevant) -> Iterator[str]:
    """Rank by rank over all sources, regardless of the documents found: the baseline."""
    remaining = _Remaining(lists)
    while sources := remaining.sources():
        for name in sources:
            docno = remaining.next_of(name)
            if docno is not None:
                yield docno


def move_to_front(lists: ListsBySource, relevant: Relevant) -> Iterator[str]:
    """Stay with a source while its documents are relevant; then take that with the fewest misses.

    Local move-to-front pooling (Cormack, Palmer & Clarke, SIGIR 1998) by priorities: every source
    starts with the same one, and a non-relevant document lowers it by 1. The source with the
    highest priority is next; a tie goes to the source whose last document was relevant.
    """
    remaining = _Remaining(lists)
    misses = dict.fromkeys(lists, 0)
    front: str | None = None
    while sources := remaining.sources():
        if front not in sources:
            front = min(sources, key=lambda name: misses[name])
        docno = remaining.next_of(front)
        if docno is None:
            continue
        yield docno
        if not relevant[docno]:
            misses[front] += 1
            front = None


def max_mean(lists: ListsBySource, relevant: Relevant) -> Iterator[str]:
    """The source with the highest expected precision is judged next: MaxMean.

    Losada, Parapar & Barreiro (Information Processing & Management 53, 2017), the stationary
    variant. Each source is the arm of a bandit with a uniform prior, Beta(1, 1); after `hits`
    relevant and `misses` other judgments its mean is (hits + 1)/(hits + misses + 2). A judgment
    counts for the source that was chosen.
    """
    remaining = _Remaining(lists)
    hits, misses = dict.fromkeys(lists, 0), dict.fromkeys(lists, 0)

    def mean(name: str) -> Fraction:
        return Fraction(hits[name] + 1, hits[name] + misses[name] + 2)

    while sources := remaining.sources():
        arm = max(sources, key=mean)  # the first of equals
        docno = remaining.next_of(arm)
        if docno is not None:
            yield docno
            (hits if relevant[docno] else misses)[arm] += 1


METHODS: dict[str, Callable[[ListsBySource, Relevant], Iterator[str]]] = {
    "by_rank": by_rank,
    "move_to_front": move_to_front,
    "max_mean": max_mean,
}


class _Remaining:
    """The unjudged documents of every source; a document is judged once."""

    def __init__(self, lists: ListsBySource) -> None:
        self._iterators = {name: iter(docnos) for name, docnos in lists.items()}
        self._judged: set[str] = set()

    def sources(self) -> list[str]:
        """The sources not known to be exhausted, in their order."""
        return list(self._iterators)

    def next_of(self, name: str) -> str | None:
        """The source's next unjudged document; None if it has no more."""
        if name not in self._iterators:
            return None
        for docno in self._iterators[name]:
            if docno not in self._judged:
                self._judged.add(docno)
                return docno
        del self._iterators[name]
        return None
