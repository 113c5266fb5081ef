"""Ranked lists: their order, and what pools and pages read of them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from corpus.models import Query
from retrieval.models import RankedList, Run

Ranking = tuple[list[str], list[float]]  # docnos and their scores, best first


def best_first(docnos: Sequence[str], scores: Sequence[float]) -> Ranking:
    """By score descending, compared as float32, then by docno descending: the order of trec_eval 9."""
    keys = list(zip(array("f", scores), docnos, strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
    return [docnos[place] for place in order], [scores[place] for place in order]


def best_hits(docnos: Sequence[str], scores: Any, hits: Any, depth: int) -> Ranking:
    """The best `depth` of the documents at the places `hits`. `scores` are float32 by place."""
    import numpy as np

    if len(hits) > depth:
        # Those tied with the last are kept until docnos break the tie.
        hits = hits[scores[hits] >= np.partition(scores[hits], -depth)[-depth]]
    found, best = best_first([docnos[hit] for hit in hits], scores[hits].tolist())
    return found[:depth], best[:depth]


def ranked_lists(query: Query, runs: Sequence[Run]) -> dict[str, RankedList]:
    """The query's list in each run, by the run's name. A run that lacks the query is not in it.

    One query at a time, so that memory stays flat however many queries a collection has.
    """
    lists = RankedList.objects.filter(query=query, run__in=runs).select_related("run")
    found = {each.run.name: each for each in lists}
    return {run.name: found[run.name] for run in runs if run.name in found}
