"""Cost, overlap, shares and warnings of pools before they are frozen. Pure.

A pool is the docnos of its candidates, in the order drawn.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.selection.filters import FEWEST_SENTENCES, FEWEST_TOKENS
from pooling.strategies import JaccardMatrix, jaccard_matrix

JUDGES = 2
SECONDS_PER_JUDGMENT = 15.0
# The share of CSFCube's pairs that needed the adjudicator: an estimate before judging begins.
ADJUDICATED_SHARE = 0.36

FREQUENT_SHARE = 0.25  # of the pools
FEWEST_WORDS = 40  # of an abstract of one or two sentences, to judge it
NEAR_DUPLICATE_JACCARD = 0.9  # of the words of two titles
ROUNDING = 1e-9  # because 0.9 · 70 is a little more than 63
USUAL_DEPTH = 25

_WORD = re.compile(r"\w+")

DocnosByPaper = Mapping[str, Sequence[str]]  # by query paper: a list, or a pool


# Cost of judging


@dataclass(frozen=True)
class Cost:
    """The cost of judging these pools, in hours and in money."""

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


# Overlap, depth and unique documents of the retrievers


def overlaps(
    rankings: Mapping[str, DocnosByPaper], depth_of_pool: Mapping[str, int]
) -> tuple[JaccardMatrix, JaccardMatrix]:
    """The overlap of the retrievers down to each pool's own depth, and down to rank 25.

    `rankings` are each retriever's lists; `depth_of_pool` is the deepest rank that any retriever
    drew from, by query paper. Query papers without a pool are left out.
    """
    top_lists = {
        name: {
            paper: docnos[: depth_of_pool[paper]]
            for paper, docnos in lists.items()
            if paper in depth_of_pool
        }
        for name, lists in rankings.items()
    }
    pool_lists = {
        name: {paper: docnos for paper, docnos in lists.items() if paper in depth_of_pool}
        for name, lists in rankings.items()
    }
    deepest = max(depth_of_pool.values(), default=0)
    return jaccard_matrix(top_lists, max(1, deepest)), jaccard_matrix(pool_lists, USUAL_DEPTH)


class RetrieverShare(NamedTuple):
    """A retriever's share in the pools.

    `found` counts the pooled documents in its list down to the deepest rank it drew from, whichever
    retriever drew them. `alone` counts those that no other retriever and no forced source found.
    `middle_depth` and `deepest` are the median and the maximum over the pools of the deepest rank
    it drew from; None if it drew nothing.
    """

    source: str
    drawn: int
    found: int
    alone: int
    middle_depth: float | None
    deepest: int | None
    shortfall: int


class PoolFacts(NamedTuple):
    """A pool as `shares` reads it; `drawn` counts documents by source, forced ones included."""

    query_paper: str
    documents: Sequence[str]
    forced: frozenset[str]  # docnos that a forced source has
    depth: Mapping[str, int]
    drawn: Mapping[str, int]
    shortfall: Mapping[str, int]


def shares(
    pools: Sequence[PoolFacts], rankings: Mapping[str, DocnosByPaper]
) -> list[RetrieverShare]:
    """Every retriever's share in the pools, by name."""
    documents_found: Counter[str] = Counter()
    documents_alone: Counter[str] = Counter()
    for pool in pools:
        finders = _finders(pool, rankings)
        documents_found.update(name for names in finders.values() for name in names)
        documents_alone.update(
            names[0]
            for docno, names in finders.items()
            if len(names) == 1 and docno not in pool.forced
        )
    return [
        _share(name, pools, documents_found[name], documents_alone[name])
        for name in sorted(rankings)
    ]


def _finders(pool: PoolFacts, rankings: Mapping[str, DocnosByPaper]) -> dict[str, list[str]]:
    """By docno, the retrievers with the document at or above their deepest rank drawn."""
    finders: dict[str, list[str]] = {docno: [] for docno in pool.documents}
    for name, lists in rankings.items():
        for docno in lists.get(pool.query_paper, ())[: pool.depth.get(name, 0)]:
            if docno in finders:
                finders[docno].append(name)
    return finders


def _share(name: str, pools: Sequence[PoolFacts], found: int, alone: int) -> RetrieverShare:
    depths = [depth for pool in pools if (depth := pool.depth.get(name))]
    return RetrieverShare(
        source=name,
        drawn=sum(pool.drawn.get(name, 0) for pool in pools),
        found=found,
        alone=alone,
        middle_depth=statistics.median(depths) if depths else None,
        deepest=max(depths, default=None),
        shortfall=sum(pool.shortfall.get(name, 0) for pool in pools),
    )


# Warnings


class FrequentDocument(NamedTuple):
    """A document in many pools."""

    docno: str
    pools: int


class ShortAbstract(NamedTuple):
    """A document whose abstract is missing or too short to judge."""

    docno: str
    why: str


class NearDuplicates(NamedTuple):
    """Two documents of one pool with near-duplicate titles."""

    query_paper: str
    docno: str
    other: str


def frequent_documents(
    pools: DocnosByPaper, share: float = FREQUENT_SHARE
) -> list[FrequentDocument]:
    """The documents in more than this share of the pools and in at least 2; most frequent first."""
    counts = Counter(docno for docnos in pools.values() for docno in set(docnos))
    min_pools = max(2, math.floor(share * len(pools)) + 1)
    frequent = [
        FrequentDocument(docno, number) for docno, number in counts.items() if number >= min_pools
    ]
    return sorted(frequent, key=lambda document: (-document.pools, document.docno))


def short_abstracts(abstracts: Mapping[str, Sequence[str]]) -> list[ShortAbstract]:
    """The documents without text, with too few sentences, or only short ones; by docno.

    `abstracts` are lists of sentences. The limits are those of CSFCube's corpus filter. An abstract
    of FEWEST_WORDS is long enough, however few sentences it was split into.
    """
    reasons = ((docno, _short_abstract_reason(abstracts[docno])) for docno in sorted(abstracts))
    return [ShortAbstract(docno, reason) for docno, reason in reasons if reason]


def _short_abstract_reason(sentences: Sequence[str]) -> str:
    if not sentences:
        return "no abstract"
    if all(len(sentence.split()) < FEWEST_TOKENS for sentence in sentences):
        return f"no sentence of {FEWEST_TOKENS} words or more"
    words = sum(len(sentence.split()) for sentence in sentences)
    if len(sentences) < FEWEST_SENTENCES and words < FEWEST_WORDS:
        return f"only {len(sentences)} sentence{'' if len(sentences) == 1 else 's'}"
    return ""


def own_pool(pools: DocnosByPaper) -> list[str]:
    """The query papers that are in their own pool."""
    return sorted(paper for paper, docnos in pools.items() if paper in docnos)


def near_duplicates(
    pools: DocnosByPaper,
    titles: Mapping[str, str],
    near: float = NEAR_DUPLICATE_JACCARD,
    *,
    topics: Container[str] = (),
) -> list[NearDuplicates]:
    """Pairs of documents of a pool, or of its query paper, with near-duplicate titles.

    Titles are compared as sets of lower-case words: equal, or with a Jaccard of `near` or more.
    Documents without a title are left out. `topics` are the query papers that are not documents.
    """
    words = {docno: frozenset(_WORD.findall(title.casefold())) for docno, title in titles.items()}
    return [
        NearDuplicates(paper, *pair)
        for paper in sorted(pools)
        for pair in _near_pairs(
            sorted({*pools[paper], *([] if paper in topics else [paper])}), words, near
        )
    ]


def _near_pairs(
    docnos: Iterable[str], words: Mapping[str, frozenset[str]], near: float
) -> Iterator[tuple[str, str]]:
    """The pairs of docnos with Jaccard ≥ near, without comparing all pairs.

    In any fixed order of all words, two such sets share one of their first
    |set| − ⌈near · |set|⌉ + 1 words (Chaudhuri et al., 2006, prefix filter).
    """
    docnos_by_word: dict[str, list[str]] = defaultdict(list)
    for docno in docnos:
        tokens = words.get(docno, frozenset())
        first = (
            sorted(tokens)[: len(tokens) - math.ceil(near * len(tokens) - ROUNDING) + 1]
            if tokens
            else []
        )
        for other in sorted({other for word in first for other in docnos_by_word[word]}):
            if len(tokens & words[other]) >= near * len(tokens | words[other]) - ROUNDING:
                yield other, docno
        for word in first:
            docnos_by_word[word].append(docno)
