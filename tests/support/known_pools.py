"""Collections whose quality is known: every document has a true grade, and pools judge a part.

A query has 400 documents. A system scores a document by its grade as its family sees it, and by
chance, and some systems are better than others. The sources judge the documents that they have in
their first `depth`; new systems had no part. The truth is nDCG@20 with all grades.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.pool_bias.computation.leave_out import UNIQUE, ScoredSystems, unique_documents
from evaluation.pool_bias.computation.reduced_scores import (
    SourcedLabels,
    UpperBounds,
    system_scores,
)
from evaluation.pool_bias.computation.report_measures import MAIN, ScopedRanks, measures_for
from evaluation.pool_bias.computation.sourced_pools import SourcedDocument, SourcedPool
from evaluation.pool_bias.computation.support import (
    Support,
    detectable_difference,
    sources_as_systems,
    support_of,
)

DOCUMENTS, RELEVANT = 400, 24
LISTED = 150
Lists = Mapping[str, Mapping[str, Sequence[str]]]  # by system, then query


class Setting(NamedTuple):
    """How a collection is made.

    `dominating`: the first source sees relevant documents that no other source can see.
    `scored_sources`: how many of the sources are also systems (the others drew documents only).
    """

    sources: int = 8
    depth: int = 60
    queries: int = 50
    dominating: bool = False
    scored_sources: int = 8


class Known(NamedTuple):
    """The answer about the collection, and how wrong it really is about new systems.

    `error` is how much the difference between the worst of eight new systems and the sources is
    wrong with the labels of the pools.
    """

    support: Support
    error: float


def known_quality(setting: Setting, seed: int) -> Known:
    rng = np.random.default_rng([seed, setting.queries, setting.depth, setting.sources])
    names = [f"s{number}" for number in range(setting.sources)]
    new = [f"n{number}" for number in range(8)]
    truth, lists = _lists(setting, names, new, rng)
    pools, qrels = _judged(setting, names, truth, lists)
    scored_names = [*names[: setting.scored_sources], *new]
    systems, labels = _scored(pools, qrels, {name: lists[name] for name in scored_names[:-8]})
    rows = [
        {"sources": [name], UNIQUE: systems.without(unique_documents(pools, [name]), pools, [name])}
        for name in names
    ]
    # Pools of the first documents of every source lose the same when they are drawn again.
    sources = list(sources_as_systems(rows, set(systems.ranks), UNIQUE))
    support = support_of(
        sources,
        queries=len(labels.queries),
        detectable=detectable_difference(
            {name: values[MAIN] for name, values in systems.per_query.items()}
        ),
        closed=True,
    )
    everything, _ = _scored(pools, truth, lists)
    pooled, _ = _scored(pools, qrels, lists)
    wrong = {
        name: np.nanmean(pooled.per_query[name][MAIN])
        - np.nanmean(everything.per_query[name][MAIN])
        for name in lists
    }
    usual = np.mean([wrong[name] for name in names])
    return Known(support, float(max(abs(wrong[name] - usual) for name in new)))


def _lists(
    setting: Setting, names: Sequence[str], new: Sequence[str], rng: np.random.Generator
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    docnos = np.array([f"d{number}" for number in range(DOCUMENTS)])
    truth: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, list[str]]] = {name: {} for name in [*names, *new]}
    for query in (f"q{number:03}" for number in range(setting.queries)):
        grades = np.zeros(DOCUMENTS, dtype=int)
        grades[:RELEVANT] = rng.integers(1, 4, RELEVANT)
        truth[query] = dict(zip(docnos.tolist(), grades.tolist(), strict=True))
        shared = rng.normal(size=(3, DOCUMENTS))  # what the systems of a family confuse alike
        hidden = rng.random(DOCUMENTS) < 0.6 if setting.dominating else np.zeros(DOCUMENTS, bool)
        for place, name in enumerate(lists):
            # The new systems are of all families; one in two sees what the dominating source sees.
            sees_all = place == 0 or (name in new and place % 2 == 0)
            seen = grades * (1.0 if sees_all else ~hidden)
            noise = 0.6 * shared[place % 3] + rng.normal(size=DOCUMENTS)
            strength = 0.8 + 0.1 * (place % 7)
            order = np.argsort(-(strength * seen + noise), kind="stable")
            lists[name][query] = docnos[order][:LISTED].tolist()
    return truth, lists


def _judged(
    setting: Setting, names: Sequence[str], truth: Mapping[str, Mapping[str, int]], lists: Lists
) -> tuple[list[SourcedPool], dict[str, dict[str, int]]]:
    pools = []
    for query in truth:
        finders: dict[str, list[str]] = {}
        for name in names:
            for docno in lists[name][query][: setting.depth]:
                finders.setdefault(docno, []).append(name)
        documents = tuple(
            SourcedDocument(docno, found[0], frozenset(found), frozenset(found), is_forced=False)
            for docno, found in finders.items()
        )
        pools.append(SourcedPool(query, (query,), documents))
    return pools, {
        pool.paper: {docno: truth[pool.paper][docno] for docno in pool.docnos} for pool in pools
    }


def _scored(
    pools: Sequence[SourcedPool], qrels: Mapping[str, Mapping[str, int]], lists: Lists
) -> tuple[ScoredSystems, SourcedLabels]:
    labels = SourcedLabels(qrels, relevant_from=2, highest=3)
    measures = [measure for measure in measures_for(2, []) if measure.name == MAIN]
    pooled = {pool.paper: set(pool.docnos) for pool in pools}
    ranks, values = {}, {}
    for name, by_query in lists.items():
        upper = UpperBounds(labels, {}, pooled)
        ranks[name] = ScopedRanks.of(labels.ranks_of(upper.reading(by_query.items())))
        values[name] = system_scores(labels, ranks[name], measures, upper).per_query
    return ScoredSystems(labels, ranks, values, measures), labels
