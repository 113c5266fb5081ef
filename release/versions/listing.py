"""Pages of rows with the newest first."""

from __future__ import annotations

import re
from typing import TypeVar, cast

from django.db.models import F, Model, QuerySet
from django.http import QueryDict

from web.tables.paging import Page, page_of

M = TypeVar("M", bound=Model)


def newest_page(rows: QuerySet[M], parameters: QueryDict) -> Page[M]:
    """A page of the rows, the newest first. Invalid parameters give the first page."""
    if not all(re.fullmatch(r"-\d{1,18}", str(place)) for place in parameters.values()):
        parameters = QueryDict()
    keyed = cast("QuerySet[M]", rows.annotate(place=-F("pk")))
    return page_of(keyed, "place", parameters)
