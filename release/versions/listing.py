"""The table of versions, and its pages with the newest first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar, cast

from django.db.models import F, Model, QuerySet
from django.http import QueryDict

from release.models import Release
from web.tables.columns import Column, Table
from web.tables.paging import Page, page_of


def _change(name: str) -> Callable[[Release], object]:
    return lambda release: ((release.summary or {}).get("change") or {}).get(name, "")


VERSIONS: Table[Release] = Table(
    "versions",
    [
        Column("version", "Version", {"version": lambda release: release.version}),
        Column(
            "labels",
            "Labels",
            {"labels": lambda release: (release.summary or {}).get("labels", "")},
        ),
        Column(
            "changes",
            "Changes",
            {name: _change(name) for name in ("since", "added", "removed", "changed")},
        ),
        Column("size", "Size", {"bytes": lambda release: release.size}),
        Column("sha256", "SHA-256", {"sha256": lambda release: release.sha256}),
        Column(
            "published",
            "Published",
            {"published_at": lambda release: release.published_at.isoformat()},
        ),
    ],
)
M = TypeVar("M", bound=Model)


def newest_page(rows: QuerySet[M], parameters: QueryDict) -> Page[M]:
    """A page of the rows, the newest first. Invalid parameters give the first page."""
    places = [parameters[name] for name in ("after", "before") if name in parameters]
    if not all(re.fullmatch(r"-\d{1,18}", str(place)) for place in places):
        parameters = QueryDict()
    keyed = cast("QuerySet[M]", rows.annotate(place=-F("pk")))
    return page_of(keyed, "place", parameters)
