"""Pages of a long list by key, not by offset: page 100 is as fast as page 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from django.db.models import Model, QuerySet
from django.http import QueryDict

M = TypeVar("M", bound=Model)


def typed(parameters: QueryDict, name: str) -> str:
    """The parameter of that name without surrounding spaces; "" if it is missing."""
    return parameters.get(name, "").strip()


def whole_number(parameters: QueryDict, name: str, *, digits: int) -> int:
    """The number of that name, at least 1; 1 if it is no number or has more digits."""
    text = parameters.get(name, "")
    is_number = text.isascii() and text.isdecimal() and len(text) <= digits
    return max(1, int(text)) if is_number else 1


class Order(NamedTuple):
    """The column that rows are ordered by, and its value for a key."""

    column: str
    value_of: Callable[[str], Any]


class Page(NamedTuple, Generic[M]):
    """Rows in order, and the keys that the pages before and after start from; "" if none.

    `first` is the place of the first row in the whole list, from 1.
    """

    rows: list[M]
    before: str
    after: str
    first: int = 1
    size: int = 50

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1

    @property
    def first_before(self) -> int:
        return max(1, self.first - self.size)

    @property
    def first_after(self) -> int:
        return self.last + 1


def page_of(
    rows: QuerySet[M],
    key: str,
    parameters: QueryDict,
    size: int = 50,
    *,
    order: Order | None = None,
) -> Page[M]:
    """The page after the key in `?after=` or before the key in `?before=`, or the first page.

    `key` is a text column without duplicates. Rows are in the order of the key, or in `order`. The
    place of the first row is in the address (`?at=`), because to count the rows before it takes
    longer than to read the page.
    """
    column, value_of = order or Order(key, str)
    after, before = parameters.get("after", ""), parameters.get("before", "")
    if before and not after:
        earlier = rows.filter(**{f"{column}__lt": value_of(before)})
        page_rows = list(earlier.order_by(f"-{column}")[: size + 1])
        more_before, more_after = len(page_rows) > size, True
        page_rows = page_rows[:size][::-1]
    else:
        later = rows.filter(**{f"{column}__gt": value_of(after)}) if after else rows
        page_rows = list(later.order_by(column)[: size + 1])
        more_before, more_after = bool(after), len(page_rows) > size
        page_rows = page_rows[:size]
    return Page(
        rows=page_rows,
        before=getattr(page_rows[0], key) if page_rows and more_before else "",
        after=getattr(page_rows[-1], key) if page_rows and more_after else "",
        first=whole_number(parameters, "at", digits=9) if more_before else 1,
        size=size,
    )
