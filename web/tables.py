"""One table for every list: sorted by its heads, filtered by its first row, 50 rows a page, and as CSV.

A view names the columns and gives a queryset or a list of dicts; a row template writes the cells:

    table = Table(request, documents, row="corpus/_document_row.html", search=["docno", "title"],
                  columns=[Column("docno", "Id"), Column("year", "Year", number=True)])
    return table.response("corpus/documents.html", {"collection": collection})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from web.csv import csv_response

ROWS = 50
MOST_WORDS = 20  # of a search; a database refuses a condition of a thousand
MOST_LETTERS = 500  # of a search; SQLite refuses a pattern of 50,000


@dataclass
class Column:
    """`key` is an attribute, a key or a path ("query__name") of a row; `value` gives the CSV's cell instead."""

    key: str
    label: str
    number: bool = False
    sortable: bool = True
    folded: bool = False  # not shown on a phone
    value: Callable[[Any], object] | None = None
    help: str = ""

    def cell(self, row: Any) -> object:
        if self.value:
            return self.value(row)
        for part in self.key.split("__"):
            if row is None:
                return None
            row = row.get(part) if isinstance(row, dict) else getattr(row, part)
        return row


@dataclass
class Filter:
    """A choice above the table. `choices` are (value, label); `lookup` is a field, or a function of rows and value."""

    key: str
    label: str
    choices: Iterable[tuple[Any, str]]
    lookup: str | Callable[[Any, str], Any] = ""
    chosen: str = field(default="", init=False)

    def apply(self, rows: Any) -> Any:
        if callable(self.lookup):
            return self.lookup(rows, self.chosen)
        name = self.lookup or self.key
        if isinstance(rows, QuerySet):
            return rows.filter(**{name: self.chosen})
        return [row for row in rows if str(row[name]) == self.chosen]


class Table:
    def __init__(
        self,
        request: HttpRequest,
        rows: QuerySet[Any] | Sequence[dict[str, Any]],
        *,
        columns: Sequence[Column],
        row: str,
        search: Sequence[str] = (),
        filters: Sequence[Filter] = (),
        default: str = "",
        name: str = "table",
        one: str = "row",
        many: str = "rows",
        size: int = ROWS,
    ) -> None:
        self.request, self.columns, self.row_template, self.name = request, columns, row, name
        self.search_fields, self.filters, self.one, self.many = search, filters, one, many
        self.words = words_of(request)
        for each in filters:
            each.chosen = request.GET.get(each.key, "")
            each.choices = list(each.choices)
        self.rows = self._sorted(self._filtered(rows), default)
        self.is_filtered = bool(self.words or any(each.chosen for each in filters))
        self.page = Paginator(self.rows, size).get_page(request.GET.get("page"))

    def _filtered(self, rows: Any) -> Any:
        for each in self.filters:
            if each.chosen and each.chosen in {str(value) for value, _ in each.choices}:
                rows = each.apply(rows)
        for word in self.words:
            if isinstance(rows, QuerySet):
                hits = Q()
                for name in self.search_fields:
                    hits |= Q(**{f"{name}__icontains": word})
                rows = rows.filter(hits)
            else:
                found = word.casefold()
                rows = [r for r in rows if any(found in str(r[name]).casefold() for name in self.search_fields)]
        return rows

    def _sorted(self, rows: Any, default: str) -> Any:
        """By the column that the address asks for. Rows without a value come last in both directions."""
        asked = self.request.GET.get("sort", "")
        known = {column.key for column in self.columns if column.sortable}
        self.sort = asked if asked.removeprefix("-") in known else default
        key, descending = self.sort.removeprefix("-"), self.sort.startswith("-")
        if not key:
            return rows.order_by("pk") if isinstance(rows, QuerySet) and not rows.ordered else rows
        if isinstance(rows, QuerySet):
            by = F(key).desc(nulls_last=True) if descending else F(key).asc(nulls_last=True)
            return rows.order_by(by, "pk")
        with_value = sorted((r for r in rows if r.get(key) is not None), key=lambda r: r[key], reverse=descending)
        return with_value + [r for r in rows if r.get(key) is None]

    @property
    def heads(self) -> list[dict[str, Any]]:
        """Each column with the address that sorts by it: numbers from the largest, text from a."""
        heads = []
        for column in self.columns:
            first, second = (f"-{column.key}", column.key) if column.number else (column.key, f"-{column.key}")
            heads.append(
                {
                    "column": column,
                    "url": self._address(sort=second if self.sort == first else first) if column.sortable else "",
                    "aria": {column.key: "ascending", f"-{column.key}": "descending"}.get(self.sort, ""),
                }
            )
        return heads

    @property
    def others(self) -> list[tuple[str, str]]:
        """The parameters of the address that are not the table's own: its form sends them along."""
        own = {"q", "sort", "page", "format", *(each.key for each in self.filters)}
        return [(key, str(value)) for key, value in self.request.GET.items() if key not in own]

    @property
    def unfiltered_url(self) -> str:
        return f"?{urlencode(self.others)}"

    @property
    def csv_url(self) -> str:
        return self._address(format="csv")

    @property
    def previous_url(self) -> str:
        return self._address(page=self.page.previous_page_number()) if self.page.has_previous() else ""

    @property
    def next_url(self) -> str:
        return self._address(page=self.page.next_page_number()) if self.page.has_next() else ""

    def _address(self, **changes: Any) -> str:
        parameters = self.request.GET.copy()
        if "page" not in changes:
            parameters.pop("page", None)
        for key, value in changes.items():
            parameters[key] = str(value)
        return f"?{parameters.urlencode()}"

    def csv(self) -> HttpResponse:
        rows = self.rows.iterator(chunk_size=2000) if isinstance(self.rows, QuerySet) else self.rows
        head = [column.key for column in self.columns]
        lines = ([column.cell(row) for column in self.columns] for row in rows)
        return csv_response(f"{self.name}.csv", _with_head(head, lines))

    def response(self, template: str, context: dict[str, Any]) -> HttpResponse:
        """The page, only the table for htmx, or the CSV file, as the request asks."""
        if self.request.GET.get("format") == "csv":
            return self.csv()
        if self.request.headers.get("HX-Target") == f"{self.name}-table":
            template = "web/table.html"
        return render(self.request, template, context | {"table": self})


def words_of(request: HttpRequest) -> list[str]:
    """What is searched for, cut where no title goes on."""
    return request.GET.get("q", "")[:MOST_LETTERS].split()[:MOST_WORDS]


def _with_head(head: list[str], lines: Iterable[list[object]]) -> Iterable[list[object]]:
    yield list(head)
    yield from lines
