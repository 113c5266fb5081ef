"""How much the sources of pooled documents overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Count

from accounts.models import Collection
from pooling.figures.names import in_parts
from pooling.models import Contribution


class OverlapCell(NamedTuple):
    """Two sources: how many pooled documents both have, and out of how many that either has."""

    other: str
    both: int
    either: int

    @property
    def share(self) -> float:
        return self.both / self.either if self.either else 0.0

    @property
    def percent(self) -> float:
        return 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share)


class OverlapRow(NamedTuple):
    source: str
    documents: int
    pooled: int
    drawn: int
    cells: list[OverlapCell | None]

    @property
    def parts(self) -> list[str]:
        return in_parts(self.source)

    @property
    def share(self) -> float:
        return self.documents / self.pooled if self.pooled else 0.0

    @property
    def percent(self) -> float:
        return 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share)


def heat(share: float) -> int:
    """One of ten classes, 0 to 9, for a share from 0 to 1; only nothing at all is 0."""
    return 0 if share <= 0 else max(1, min(9, int(share * 10)))


def overlap(collection: Collection, pooled: int) -> list[OverlapRow]:
    """Which share of the pooled documents each source has, and how much any two have in common.

    All that a source ranked counts, whether it drew the document or another one did.
    """
    contributions = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection
    ).order_by()
    together = contributions.values_list("source", "candidate__contributions__source").annotate(
        both=Count("pk")
    )
    drawn = contributions.filter(drawn=True).values_list("source").annotate(number=Count("pk"))
    common = {(one, other): both for one, other, both in together}
    return overlap_rows(common, dict(drawn), pooled)


def overlap_rows(
    common: Mapping[tuple[str, str], int], drawn: Mapping[str, int], pooled: int
) -> list[OverlapRow]:
    """The table from its counts; `common` holds (source, source) for what one source has."""
    sources = sorted({one for one, _ in common})
    own = {source: common[source, source] for source in sources}

    def cell(one: str, other: str) -> OverlapCell | None:
        if one == other:
            return None
        both = common.get((one, other), 0)
        return OverlapCell(other, both, own[one] + own[other] - both)

    return [
        OverlapRow(
            one, own[one], pooled, drawn.get(one, 0), [cell(one, other) for other in sources]
        )
        for one in sources
    ]
