"""The overlap of the sources of pooled documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Count

from accounts.models import Collection
from pooling.models import Candidate, Contribution
from pooling.tables.names import breakable_parts


class OverlapCell(NamedTuple):
    """Two sources: the number of pooled documents that both have, and that either has."""

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
        return breakable_parts(self.source)

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
    """The class of a share from 0 to 1: 0 for 0, else 1 to 9."""
    return 0 if share <= 0 else max(1, min(9, int(share * 10)))


def overlap(collection: Collection) -> list[OverlapRow]:
    """The share of the documents pooled first that each source has, and the overlap of any two.

    A source has every document that it ranked, whichever source drew it. Later pool rounds are
    left out: their runs are sources of the documents that they added only, so whatever else they
    have in common with others is not stored.
    """
    candidates = Candidate.objects.filter(pool__query_paper__collection=collection, round=1)
    contributions = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection, candidate__round=1
    ).order_by()
    together = contributions.values_list("source", "candidate__contributions__source").annotate(
        both=Count("pk")
    )
    drawn = contributions.filter(drawn=True).values_list("source").annotate(number=Count("pk"))
    common = {(source, other): both for source, other, both in together}
    return overlap_rows(common, dict(drawn), candidates.count())


def overlap_rows(
    common: Mapping[tuple[str, str], int], drawn: Mapping[str, int], pooled_count: int
) -> list[OverlapRow]:
    """The table from its counts; `common[source, source]` counts the documents of one source."""
    sources = sorted({source for source, _ in common})
    counts = {source: common[source, source] for source in sources}

    def cell(source: str, other: str) -> OverlapCell | None:
        if source == other:
            return None
        both = common.get((source, other), 0)
        return OverlapCell(other, both, counts[source] + counts[other] - both)

    return [
        OverlapRow(
            source,
            counts[source],
            pooled_count,
            drawn.get(source, 0),
            [cell(source, other) for other in sources],
        )
        for source in sources
    ]
