"""The versions of a facet's guideline, and the queries judged under each."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Collection
from annotation.models import Guideline, Opening
from corpus.models import Facet


class VersionUse(NamedTuple):
    """A version of a guideline and the queries that are judged under it."""

    version: int
    created_at: datetime
    queries: list[str]


def versions_to_read(facet: Facet) -> QuerySet[Guideline]:
    """The versions that judges of the facet may read, the newest first.

    They are those of open queries. Before one is open, it is the newest alone.
    """
    used = facet.guidelines.filter(Exists(Opening.objects.filter(guideline=OuterRef("pk"))))
    return used if used.exists() else facet.guidelines.filter(pk__in=facet.guidelines.all()[:1])


def versions_in_use(collection: Collection) -> dict[int, list[VersionUse]]:
    """Facet to the versions of its guideline, newest first, each with its queries."""
    names_by_guideline: dict[int, list[str]] = defaultdict(list)
    openings = Opening.objects.of(collection).order_by("query__name")
    for version, name in openings.values_list("guideline", "query__name"):
        names_by_guideline[version].append(name)
    uses: dict[int, list[VersionUse]] = defaultdict(list)
    for facet in collection.facets.prefetch_related("guidelines"):
        for guideline in facet.guidelines.all():
            use = VersionUse(
                guideline.version, guideline.created_at, names_by_guideline[guideline.pk]
            )
            uses[facet.pk].append(use)
    return uses
