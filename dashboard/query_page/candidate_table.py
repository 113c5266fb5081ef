"""The table of candidates as the address asks for it: filtered, sorted, and in pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from accounts.models import Collection
from corpus.models import Query
from dashboard.query_page.candidates import (
    CANDIDATES,
    JUDGED_COLUMNS,
    CandidateRow,
    candidate_filters,
    candidate_rows,
    candidate_sorts,
    shown_rows,
    systems_with_pages,
)
from evaluation.choices import CHOICES
from pooling.models import Pool
from web.requests.answers import sorting_address
from web.tables.cells import Sort, matching, numbered_page, sort_rows
from web.tables.columns import ShownColumns
from web.tables.filters import Filter, Test, filter_bar, filter_rows
from web.tables.paging import typed


@dataclass(frozen=True)
class CandidateTable:
    """All candidates of a pool, and the `rows` that match, in order.

    `source` is the one that the rows are filtered by; then ranks are its ranks.
    """

    all_rows: Sequence[CandidateRow]
    rows: Sequence[CandidateRow]
    filters: Sequence[Filter[Test[CandidateRow]]]
    source: str
    sort: Sort
    columns: ShownColumns[CandidateRow]

    @classmethod
    def of(
        cls,
        request: HttpRequest,
        collection: Collection,
        pool: Pool | None,
        query: Query | None,
        *,
        is_open: bool,
    ) -> CandidateTable:
        all_rows = candidate_rows(pool, query) if pool else []
        filters = candidate_filters(collection, all_rows, judged=is_open)
        chosen = filters[-1].chosen(request.GET)
        source = chosen.value if chosen else ""
        found = filter_rows(all_rows, filters, request.GET)
        rows, sort = sort_rows(
            matching(found, typed(request.GET, "q"), lambda row: row.text),
            request.GET.get("sort", ""),
            candidate_sorts(source),
            "position",
        )
        columns = CANDIDATES.shown(request, _meaningless(all_rows, is_open=is_open))
        return cls(all_rows, rows, filters, source, sort, columns)

    def context(
        self, request: HttpRequest, collection: Collection, query: Query | None
    ) -> dict[str, Any]:
        page = numbered_page(self.rows, request, anchor="#candidates")
        names = [each.name for each in self.filters]
        return {
            "rows": shown_rows(collection, query, page.rows, self.source),
            "page": page,
            "total": len(self.all_rows),
            "systems": systems_with_pages(collection),
            "sort": self.sort,
            "bar": filter_bar(
                request,
                self.filters,
                caption="Title, docno or source",
                button="Filter candidates",
                anchor="#candidates",
                kept=("sort", *CHOICES),
            ),
            "columns": self.columns,
            "sorted_by": sorting_address(request.path, request, "q", *names, *CHOICES),
        }


def _meaningless(rows: Sequence[CandidateRow], *, is_open: bool) -> set[str]:
    """The columns that would be empty in every row."""
    unused = set() if is_open else set(JUDGED_COLUMNS)
    if not any(row.inclusion is not None for row in rows):
        unused.add("inclusion")
    if not any(found.rank for row in rows for found in row.found):
        unused.add("rank")
    return unused
