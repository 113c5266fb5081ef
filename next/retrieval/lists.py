"""Ranked lists: how they are ordered, and what pooling and the pages read of them."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.models import Query
from retrieval.models import RankedList, Run


def ranked_lists(query: Query, runs: Sequence[Run]) -> dict[str, RankedList]:
    """The query's list in each run, by the run's name. A run that lacks the query is not in it.

    One query at a time, so that memory stays flat however many queries a collection has.
    """
    lists = RankedList.objects.filter(query=query, run__in=runs).select_related("run")
    found = {each.run.name: each for each in lists}
    return {run.name: found[run.name] for run in runs if run.name in found}
