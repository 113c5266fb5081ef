"""What systems rank high and nobody judged: how much it is, and what to judge next. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evaluation.measures import Labels, Lists

DEPTHS = (5, 10, 20, 100)
WANTED = 20  # documents of a list that it wants judged
RRF_K = 60  # Cormack, Clarke & Büttcher, SIGIR 2009


def unjudged_shares(lists: Lists, labels: Labels) -> dict[int, float]:
    """Of the first 5, 10, 20 and 100 documents, the share without a label: mean over queries with labels and a list."""
    known = {query: docnos for query, docnos in lists.items() if docnos and query in labels}
    return {
        depth: sum(
            sum(docno not in labels[query] for docno in docnos[:depth]) / len(docnos[:depth])
            for query, docnos in known.items()
        )
        / len(known)
        for depth in (DEPTHS if known else ())
    }


def to_judge_next(lists: Mapping[str, Lists], pooled: Mapping[str, Collection[str]]) -> list[dict[str, Any]]:
    """Documents among the first WANTED of some system that are in no pool, what most lists want highest first.

    `lists` by system; `pooled` has by query what is pooled already, for the queries that may get more. The order is
    that of `score`, the reciprocal rank sum Σ 1 / (60 + rank) over the systems that want it.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for system in sorted(lists):
        for query, docnos in lists[system].items():
            for rank, docno in enumerate(docnos[:WANTED] if query in pooled else (), 1):
                if docno not in pooled[query]:
                    row = found.setdefault((query, docno), {"score": 0.0, "best": rank, "systems": []})
                    row["score"] += 1 / (RRF_K + rank)
                    row["best"] = min(rank, row["best"])
                    row["systems"].append(system)
    rows = [{"query": query, "docno": docno, **row} for (query, docno), row in found.items()]
    return sorted(rows, key=lambda row: (-row["score"], row["query"], row["docno"]))
