"""Pool rounds as pages and the API list them, without their manifests, which can be megabytes."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.db.models import Count
from django.db.models.fields.json import KT

from accounts.models import Collection
from pooling.models import Candidate, PoolRound, RoundList


class RoundRow(NamedTuple):
    """A round, the documents that it added to how many pools, and the names of its runs."""

    pool_round: PoolRound
    documents: int
    pools: int
    runs: list[str]
    sha256: str


def round_rows(collection: Collection) -> list[RoundRow]:
    """By number. Three queries."""
    rounds = collection.pool_rounds.select_related("made_by").order_by("number")
    rounds = rounds.defer("manifest").annotate(digest=KT("manifest__sha256"))
    candidates = Candidate.objects.filter(
        round__gt=1, pool__query_paper__collection=collection
    ).order_by()
    counts = {
        number: (documents, pools)
        for number, documents, pools in candidates.values_list("round").annotate(
            documents=Count("pk"), pools=Count("pool", distinct=True)
        )
    }
    runs: dict[int, list[str]] = defaultdict(list)
    lists = RoundList.objects.filter(pool_round__collection=collection).order_by()
    for pk, run in sorted(lists.values_list("pool_round", "run").distinct()):
        runs[pk].append(run)
    return [
        RoundRow(each, *counts.get(each.number, (0, 0)), runs[each.pk], each.digest)
        for each in rounds
    ]
