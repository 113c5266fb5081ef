"""What each source brought into the pools, and what systems lose without it. Pure.

Zobel (1998), "How reliable are the results of large-scale information retrieval experiments?": a pool is fair to a
system that did not help to build it if its score stays when the documents that it alone brought lose their labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from evaluation.measures import CLOSED, Labels

if TYPE_CHECKING:
    import pandas as pd

Finders = Mapping[str, Mapping[str, frozenset[str]]]  # names of sources, by query and docno
SAME = 1e-9  # smaller differences are rounding


def finders(pooled: pd.DataFrame) -> dict[str, dict[str, frozenset[str]]]:
    """Who found each pooled document.

    `pooled` has a row for each candidate and run that lists it: pool, query, docno, source (which drew it), run, rank,
    drawn; candidates that no run lists have one without a run. A run found what it drew, and what it ranks no deeper
    than it drew from in that pool: it would have drawn that if no other source had. Published pools name their
    sources without ranks: these found what they are named for.
    """
    deepest = pooled[pooled["drawn"].eq(True)].groupby(["pool", "run"])["rank"].max().to_dict()
    found: dict[str, dict[str, frozenset[str]]] = {}
    columns = (pooled[name] for name in ("pool", "query", "docno", "source", "run", "rank"))
    for pool, query, docno, source, run, rank in zip(*columns, strict=True):
        of_query = found.setdefault(query, {})
        names = of_query.get(docno, frozenset([source]))
        if isinstance(run, str) and not rank > deepest.get((pool, run), 0):  # no rank is NaN, which is not deeper
            names |= {run}
        of_query[docno] = names
    return found


def finds(found: Finders, labels: Labels, relevant_from: int) -> list[dict[str, Any]]:
    """For each source of documents with a label: how many relevant ones it found, and how many nobody else did."""
    counts: dict[str, dict[str, int]] = {}
    for query, grades in labels.items():
        for docno, grade in grades.items():
            names = found.get(query, {}).get(docno, frozenset())
            for name in names:
                of_source = counts.setdefault(name, {"relevant": 0, "alone": 0})
                of_source["relevant"] += grade >= relevant_from
                of_source["alone"] += grade >= relevant_from and len(names) == 1
    return [{"source": name, **counts[name]} for name in sorted(counts)]


def without(labels: Labels, found: Finders, source: str, scope: str) -> dict[str, dict[str, int]]:
    """The labels without those of documents that this source alone found.

    Closed lists re-rank the pool, which stays as it is: there such a document stays as well, not relevant.
    """
    less: dict[str, dict[str, int]] = {}
    for query, grades in labels.items():
        of_query = found.get(query, {})
        kept = {docno: grade for docno, grade in grades.items() if of_query.get(docno) != {source}}
        less[query] = dict.fromkeys(grades, 0) | kept if scope == CLOSED else kept
    return less


def with_relevant(labels: Labels, relevant_from: int) -> set[str]:
    """The queries that have a relevant document."""
    return {query for query, grades in labels.items() if any(grade >= relevant_from for grade in grades.values())}


def places(values: Mapping[str, float]) -> dict[str, int]:
    """From 1, the highest first; equal ones share the best."""
    return {name: 1 + sum(other > value + SAME for other in values.values()) for name, value in values.items()}


def effects(full: Mapping[str, float], less: Mapping[str, float]) -> list[dict[str, Any]]:
    """Each system with all labels and with fewer, the one that loses most first."""
    full = {name: value for name, value in full.items() if name in less}
    before, after = places(full), places(less)
    rows = [
        {"system": name, "change": less[name] - full[name], "place": before[name], "place_less": after[name]}
        for name in full
    ]
    return sorted(rows, key=lambda row: (row["change"], row["system"]))


def growth(pools: Mapping[str, Sequence[str]], labels: Labels, relevant_from: int) -> list[int]:
    """At [n - 1], the relevant documents among the first n of every pool, in the order drawn."""
    found = [0] * max((len(pools.get(query, ())) for query in labels), default=0)
    for query, grades in labels.items():
        for place, docno in enumerate(pools.get(query, ())):
            found[place] += grades.get(docno, 0) >= relevant_from
    return list(accumulate(found))
