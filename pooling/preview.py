"""What to know of pools before they are frozen. Pure: lists, documents and pools in, findings out.

Docnos are strings throughout; a pool is the docnos of its candidates in the order they were drawn.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.filters import FEWEST_SENTENCES, FEWEST_TOKENS
from pooling.strategies import JaccardMatrix, jaccard_matrix

JUDGES = 2
SECONDS_PER_JUDGMENT = 15.0
# Of CSFCube's pairs, this share needed the adjudicator: the best guess before anybody has judged.
ADJUDICATED_SHARE = 0.36

OFTEN = 0.25  # of the pools
NEAR = 0.9  # Jaccard of two titles' words from which on they are near-duplicates
ROUNDING = 1e-9  # 0.9 · 70 is a little more than 63
USUAL_DEPTH = 25

_WORD = re.compile(r"\w+")

Lists = Mapping[str, Sequence[str]]  # by query paper
Pools = Mapping[str, Sequence[str]]  # by query paper


# What judging costs


@dataclass(frozen=True)
class Cost:
    """What judging these pools takes, in people's hours and in money."""

    candidates: int
    pairs: int
    seconds_per_judgment: float = SECONDS_PER_JUDGMENT
    adjudicated_share: float = ADJUDICATED_SHARE
    hourly_rate: float | None = None

    @property
    def judging_hours(self) -> float:
        return self.pairs * JUDGES * self.seconds_per_judgment / 3600

    @property
    def adjudicating_hours(self) -> float:
        return self.pairs * self.adjudicated_share * self.seconds_per_judgment / 3600

    @property
    def total_hours(self) -> float:
        return self.judging_hours + self.adjudicating_hours

    @property
    def money(self) -> float | None:
        """In the currency of the rate; None without one."""
        return None if self.hourly_rate is None else self.total_hours * self.hourly_rate

    @property
    def adjudicated_percent(self) -> float:
        return 100 * self.adjudicated_share

    @property
    def judging(self) -> str:
        return in_hours(self.judging_hours)

    @property
    def adjudicating(self) -> str:
        return in_hours(self.adjudicating_hours)

    @property
    def hours(self) -> str:
        return in_hours(self.total_hours)


def in_hours(hours: float) -> str:
    """A length of work in words: "under 1 hour", "1 hour", "1,204 hours"."""
    if round(hours) < 1:
        return "under 1 hour"
    return "1 hour" if round(hours) == 1 else f"{hours:,.0f} hours"


# What the retrievers have in common, how deep they went, what only one of them found


def overlaps(
    rankings: Mapping[str, Lists], depth_of_pool: Mapping[str, int]
) -> tuple[JaccardMatrix, JaccardMatrix]:
    """How much the retrievers overlap down to each pool's own depth, and down to rank 25.

    `rankings` are each retriever's lists; `depth_of_pool` the deepest rank that anybody drew from
    for a query paper. Query papers without a pool are left out.
    """
    cut = {
        name: {
            paper: docnos[: depth_of_pool[paper]]
            for paper, docnos in lists.items()
            if paper in depth_of_pool
        }
        for name, lists in rankings.items()
    }
    pooled = {
        name: {paper: docnos for paper, docnos in lists.items() if paper in depth_of_pool}
        for name, lists in rankings.items()
    }
    deepest = max(depth_of_pool.values(), default=0)
    return jaccard_matrix(cut, max(1, deepest)), jaccard_matrix(pooled, USUAL_DEPTH)


class Share(NamedTuple):
    """What one retriever did for the pools.

    `found` are the pooled documents it has no deeper than it had to draw, its own and others';
    `alone` are those among them that nobody else found. `depths` are the deepest ranks it drew
    from, middle and largest over the pools; None when it drew nothing.
    """

    source: str
    drawn: int
    found: int
    alone: int
    middle_depth: float | None
    deepest: int | None
    shortfall: int


class PoolFacts(NamedTuple):
    """One pool as `shares` reads it; `drawn` counts by source, the forced ones among them."""

    query_paper: str
    documents: Sequence[str]
    forced: frozenset[str]  # docnos that a forced source has
    depth: Mapping[str, int]
    drawn: Mapping[str, int]
    shortfall: Mapping[str, int]


def shares(pools: Sequence[PoolFacts], rankings: Mapping[str, Lists]) -> list[Share]:
    """Every retriever's share in the pools, by name."""
    found: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for pool in pools:
        who = _finders(pool, rankings)
        found.update(name for names in who.values() for name in names)
        alone.update(
            names[0] for docno, names in who.items() if len(names) == 1 and docno not in pool.forced
        )
    return [_share(name, pools, found[name], alone[name]) for name in sorted(rankings)]


def _finders(pool: PoolFacts, rankings: Mapping[str, Lists]) -> dict[str, list[str]]:
    """The retrievers that have a pooled document no deeper than they drew, by docno."""
    who: dict[str, list[str]] = {docno: [] for docno in pool.documents}
    for name, lists in rankings.items():
        for docno in lists.get(pool.query_paper, ())[: pool.depth.get(name, 0)]:
            if docno in who:
                who[docno].append(name)
    return who


def _share(name: str, pools: Sequence[PoolFacts], found: int, alone: int) -> Share:
    depths = [depth for pool in pools if (depth := pool.depth.get(name))]
    return Share(
        source=name,
        drawn=sum(pool.drawn.get(name, 0) for pool in pools),
        found=found,
        alone=alone,
        middle_depth=statistics.median(depths) if depths else None,
        deepest=max(depths, default=None),
        shortfall=sum(pool.shortfall.get(name, 0) for pool in pools),
    )


# What looks wrong


class Often(NamedTuple):
    """A document that turns up in many pools."""

    docno: str
    pools: int


class Poor(NamedTuple):
    """A document whose abstract gives a judge little to go by."""

    docno: str
    why: str


class Twins(NamedTuple):
    """Two documents of one pool whose titles are all but equal."""

    query_paper: str
    one: str
    other: str


def often(pools: Pools, share: float = OFTEN) -> list[Often]:
    """The documents in more than this share of the pools, and in two at least; most often first."""
    counts = Counter(docno for docnos in pools.values() for docno in set(docnos))
    fewest = max(2, math.floor(share * len(pools)) + 1)
    found = [Often(docno, number) for docno, number in counts.items() if number >= fewest]
    return sorted(found, key=lambda one: (-one.pools, one.docno))


def poor(abstracts: Mapping[str, Sequence[str]]) -> list[Poor]:
    """The documents without text, with too few sentences, or with none of any length; by docno.

    `abstracts` are lists of sentences. The limits are those of CSFCube's corpus filter.
    """
    found = ((docno, _why_poor(abstracts[docno])) for docno in sorted(abstracts))
    return [Poor(docno, why) for docno, why in found if why]


def _why_poor(sentences: Sequence[str]) -> str:
    if not sentences:
        return "no abstract"
    if all(len(sentence.split()) < FEWEST_TOKENS for sentence in sentences):
        return f"no sentence of {FEWEST_TOKENS} words or more"
    if len(sentences) < FEWEST_SENTENCES:
        return f"only {len(sentences)} sentence{'' if len(sentences) == 1 else 's'}"
    return ""


def own_pool(pools: Pools) -> list[str]:
    """The query papers that are in their own pool."""
    return sorted(paper for paper, docnos in pools.items() if paper in docnos)


def twins(pools: Pools, titles: Mapping[str, str], near: float = NEAR) -> list[Twins]:
    """Pairs of documents of a pool, its query paper among them, with near-duplicate titles.

    Titles are compared as sets of lower-case words: equal, or with a Jaccard of `near` or more.
    Documents without a title are left out.
    """
    words = {docno: frozenset(_WORD.findall(title.casefold())) for docno, title in titles.items()}
    return [
        Twins(paper, *pair)
        for paper in sorted(pools)
        for pair in _near(sorted({paper, *pools[paper]}), words, near)
    ]


def _near(
    docnos: Iterable[str], words: Mapping[str, frozenset[str]], near: float
) -> Iterator[tuple[str, str]]:
    """The pairs of docnos with Jaccard ≥ near, without comparing each with each.

    In any fixed order of all words, two sets so alike share one of their first
    |set| − ⌈near · |set|⌉ + 1 words (Chaudhuri et al., 2006, prefix filter).
    """
    sharing: dict[str, list[str]] = defaultdict(list)
    for docno in docnos:
        own = words.get(docno, frozenset())
        first = sorted(own)[: len(own) - math.ceil(near * len(own) - ROUNDING) + 1] if own else []
        for other in sorted({other for word in first for other in sharing[word]}):
            if len(own & words[other]) >= near * len(own | words[other]) - ROUNDING:
                yield other, docno
        for word in first:
            sharing[word].append(docno)
