"""Pages of a sorted table by value and key, not by offset.

When a row moves or goes between two pages, no other row is skipped or shown twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Count, F, Model, OrderBy, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.http import urlencode

from web.tables.cells import PAGE_ROWS, NumberedPage, Sort, sort_of
from web.tables.paging import Order

M = TypeVar("M", bound=Model)
PLACE = ("after", "before", "at", "page")  # parameters of one page


class RowPlace(NamedTuple):
    """A place between rows: the value that the table is sorted by, or None, and the key's place."""

    value: Any
    key: Any


@dataclass(frozen=True)
class SortedRows(Generic[M]):
    """Rows with `sort_value`, `sort_key` and `row_key`, to be read page by page or as a whole.

    Rows without a value come last in either direction. Equal values are in the order of the key. A
    table that is sorted by its key has no values.
    """

    rows: QuerySet[M]
    sort: Sort
    has_value: bool
    key_order: Order

    @classmethod
    def of(
        cls,
        rows: QuerySet[M],
        sort_text: str,
        columns: Mapping[str, str],
        *,
        key: str,
        key_order: Order,
    ) -> SortedRows[M]:
        """Sorted as asked, by "size" or "-size".

        `columns` has the column or annotation of each sort. The first sort is the default and has
        "": by the key itself. `key` is a text column without duplicates.
        """
        sort = sort_of(sort_text, columns, next(iter(columns)))
        column = columns[sort.key]
        annotated: QuerySet[Any] = rows.annotate(row_key=F(key), sort_key=F(key_order.column))
        if column:
            annotated = annotated.annotate(sort_value=F(column))
        return cls(annotated, sort, bool(column), key_order)

    def in_order(self, *, backwards: bool = False) -> QuerySet[M]:
        return self.rows.order_by(*self._order(backwards))

    def _order(self, backwards: bool) -> list[OrderBy]:
        descends = self.sort.descending != backwards
        if not self.has_value:
            return [OrderBy(F("sort_key"), descending=descends)]
        nulls = {"nulls_first": True} if backwards else {"nulls_last": True}
        return [
            OrderBy(F("sort_value"), descending=descends, **nulls),
            OrderBy(F("sort_key"), descending=backwards),
        ]

    def _later(self, place: RowPlace) -> Q:
        if not self.has_value:
            return Q(**{f"sort_key__{'lt' if self.sort.descending else 'gt'}": place.key})
        same = Q(sort_value=place.value, sort_key__gt=place.key)
        if place.value is None:
            return Q(sort_value=None, sort_key__gt=place.key)
        beyond = Q(**{f"sort_value__{'lt' if self.sort.descending else 'gt'}": place.value})
        return beyond | same | Q(sort_value=None)

    def _earlier(self, place: RowPlace) -> Q:
        if not self.has_value:
            return Q(**{f"sort_key__{'gt' if self.sort.descending else 'lt'}": place.key})
        if place.value is None:
            return Q(sort_value__isnull=False) | Q(sort_value=None, sort_key__lt=place.key)
        beyond = Q(**{f"sort_value__{'gt' if self.sort.descending else 'lt'}": place.value})
        return beyond | Q(sort_value=place.value, sort_key__lt=place.key)

    def page(
        self, request: HttpRequest, *, path: str = "", anchor: str = "", size: int = PAGE_ROWS
    ) -> NumberedPage[M]:
        """The `size` rows after the key in `?after=` or before that in `?before=`, in two queries.

        The value of that row is in `?at=`. A place without rows gives the first page.
        """
        rows = self._rows_at(request.GET, size) or list(self.in_order()[:size])
        total, earlier = self._counts(rows)
        kept = {name: value for name, value in request.GET.items() if name not in PLACE and value}

        def address(parameter: str, row: Any) -> str:
            value = {"at": _text(row.sort_value)} if self._value_of(row) is not None else {}
            place = urlencode({**kept, parameter: row.row_key, **value})
            return f"{path or request.path}?{place}{anchor}"

        last = earlier + len(rows)
        return NumberedPage(
            rows=rows,
            first=earlier + 1 if rows else 0,
            last=last,
            total=total,
            before=address("before", rows[0]) if earlier else "",
            after=address("after", rows[-1]) if last < total else "",
        )

    def _rows_at(self, parameters: QueryDict, size: int) -> list[M]:
        after, before = parameters.get("after", ""), parameters.get("before", "")
        try:
            if after:
                later = self._later(self._place(after, parameters.get("at")))
                return list(self.in_order().filter(later)[:size])
            if before:
                earlier = self._earlier(self._place(before, parameters.get("at")))
                return list(self.in_order(backwards=True).filter(earlier)[:size])[::-1]
        except ValidationError:  # the value is not of the column's type
            pass
        return []

    def _place(self, key: str, value: str | None) -> RowPlace:
        if not self.has_value or value is None:
            return RowPlace(None, self.key_order.value_of(key))
        field = self.rows.query.annotations["sort_value"].output_field
        return RowPlace(field.to_python(value), self.key_order.value_of(key))

    def _value_of(self, row: Any) -> Any:
        return row.sort_value if self.has_value else None

    def _counts(self, rows: list[M]) -> tuple[int, int]:
        """The number of all rows, and of those before these."""
        if not rows:
            return 0, 0
        first: Any = rows[0]
        earlier = self._earlier(RowPlace(self._value_of(first), first.sort_key))
        counts = self.rows.order_by().aggregate(
            total=Count("pk"), earlier=Count("pk", filter=earlier)
        )
        return counts["total"], counts["earlier"]


def _text(value: Any) -> str:
    """The value in an address, from which its field reads the same value."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
