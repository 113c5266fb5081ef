"""What a draft would cost to judge, what each source adds, and what to look at before freezing."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import Any

from django.db.models import Count, F, Max

from pooling.models import Candidate, Contribution, PoolSet
from web.figures import Bars, Heat

JUDGES = 2
SECONDS_A_PAIR = 15.0  # CSFCube's annotators took about 15


def preview(draft: PoolSet) -> dict[str, Any]:
    """Numbers, warnings and figures of a draft, for the page of pools."""
    pools = list(draft.pools.select_related("query").annotate(size=Count("candidates")).order_by("query__name"))
    sizes = [pool.size for pool in pools]
    listed = set(Contribution.objects.filter(candidate__pool__in=pools).values_list("candidate__pool", flat=True))
    return {
        "pools": len(pools),
        "pairs": sum(sizes),
        "filled": sum(size > 0 for size in sizes),
        "least": min(sizes, default=0),
        "median": median(sizes) if sizes else 0,
        "most": max(sizes, default=0),
        "seconds": sum(sizes) * JUDGES * SECONDS_A_PAIR,
        "unlisted": [pool for pool in pools if pool.pk not in listed],
        "short": [pool for pool in pools if pool.shortfall and pool.pk in listed],
        "duplicates": duplicates(draft),
    }


def duplicates(draft: PoolSet) -> list[dict[str, Any]]:
    """Documents of the same text in one pool, or of the query paper's own: {"query", "docnos"}, by query."""
    pooled = Candidate.objects.filter(pool__pool_set=draft)
    twice = pooled.values("pool", "document__text_digest").annotate(number=Count("pk")).filter(number__gt=1)
    digests = {(row["pool"], row["document__text_digest"]) for row in twice}
    own = pooled.filter(document__text_digest=F("pool__query__document__text_digest"))
    digests |= set(own.values_list("pool", "document__text_digest"))
    rows = pooled.filter(pool__in={pool for pool, _ in digests}).select_related("document", "pool__query")
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows.order_by("pool__query__name", "position"):
        if (row.pool_id, row.document.text_digest) in digests:
            found[row.pool.query.name, row.document.text_digest].append(row.document.docno)
    return [{"query": query, "docnos": docnos} for (query, _), docnos in found.items()]


def source_figures(draft: PoolSet) -> tuple[Bars, Heat]:
    """What only one source found, and how far any two found the same.

    A source finds what it was forced with, and what it ranks down to the deepest rank that any source drew from in
    that pool: deeper, 1,000 long lists would find everything.
    """
    contributions = Contribution.objects.filter(candidate__pool__pool_set=draft)
    deepest = dict(contributions.filter(drawn=True).values_list("candidate__pool").annotate(Max("rank")))
    found: dict[str, set[int]] = {name: set() for name in [*draft.plan["forced"], *draft.plan["sources"]]}
    for candidate, pool, run, rank in contributions.values_list("candidate", "candidate__pool", "run__name", "rank"):
        if rank <= deepest.get(pool, 0):
            found[run].add(candidate)
    others = Candidate.objects.filter(pool__pool_set=draft).exclude(source__in=draft.plan["sources"])
    for candidate, source in others.order_by("pk").values_list("pk", "source"):
        found.setdefault(source, set()).add(candidate)
    finders = Counter(candidate for candidates in found.values() for candidate in candidates)
    alone = {name: sum(finders[each] == 1 for each in candidates) for name, candidates in found.items()}
    unique = Bars(
        "unique",
        "Found by one source alone",
        "Documents",
        [{"label": name, "value": number, "lead": number == max(alone.values())} for name, number in alone.items()],
    )
    names = list(found)
    overlap = Heat(
        "overlap",
        "Overlap of sources",
        names,
        names,
        [[None if one == other else jaccard(found[one], found[other]) for other in names] for one in names],
        note="Of the documents that either of two sources found, the percentage that both found.",
    )
    return unique, overlap


def jaccard(one: set[int], other: set[int]) -> float | None:
    """Percent of the union that is in both; None where both are empty."""
    return 100 * len(one & other) / len(one | other) if one | other else None
