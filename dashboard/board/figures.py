"""The figure of Progress: how far the open queries are. Counts only, and no grade."""

from __future__ import annotations

from django.db.models import Count, F, Q

from accounts.models import Collection
from annotation.models import PairCount
from web.figure_panels import Series, columns
from web.figures import Figure
from web.words import count_noun

# By the share of a query's pairs with both judgments. Without division, which could round to 100 %.
BANDS = {
    "0 %": Q(judged=0),
    "1–24": Q(judged__gt=0, quarters__lt=F("total")),
    "25–49": Q(quarters__gte=F("total"), quarters__lt=2 * F("total")),
    "50–74": Q(quarters__gte=2 * F("total"), quarters__lt=3 * F("total")),
    "75–99": Q(quarters__gte=3 * F("total"), judged__lt=F("total")),
    "100 %": Q(judged=F("total")),
}


def progress_of(collection: Collection) -> dict[str, int]:
    """The number of open queries in each band."""
    counts = PairCount.objects.filter(query__collection=collection, total__gt=0)
    counts = counts.annotate(quarters=4 * F("judged"))
    names = [f"band{number}" for number in range(len(BANDS))]
    bands = zip(names, BANDS.values(), strict=True)
    sums = counts.aggregate(**{name: Count("pk", filter=band) for name, band in bands})
    return {label: sums[name] for label, name in zip(BANDS, names, strict=True)}


def progress_figure(counts: dict[str, int]) -> Figure:
    queries = count_noun(sum(counts.values()), "open query", "open queries")
    return Figure(
        name="progress",
        title="Progress of all open queries",
        note="Queries by the percentage of their pairs with both judgments.",
        panels=[
            columns(
                queries,
                f"Of {queries}, {counts['0 %']:,} have no pair with both judgments "
                f"and {counts['100 %']:,} are judged.",
                list(counts),
                [Series("queries", ["done"], list(counts.values()))],
                texts=[f"{count:,}" for count in counts.values()],
            )
        ],
        head=("pairs with both judgments", "queries"),
        rows=list(counts.items()),
    )
