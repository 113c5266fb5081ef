"""The columns of a table: which of them a person sees, and what a CSV file has of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest, StreamingHttpResponse

from web.downloads import as_download
from web.tables.csv_cells import csv_lines
from web.tables.text_blocks import in_blocks

Item = TypeVar("Item")
Row = TypeVar("Row")
Model_ = TypeVar("Model_", bound=Model)
SESSION_KEY = "hidden_columns"
BATCH = 500  # rows of a file that are read together


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a page. `fields` are its columns in the CSV file: name and value of a row.

    A column `on_request` is hidden until it is chosen.
    """

    key: str
    caption: str
    fields: Mapping[str, Callable[[Row], object]]
    on_request: bool = False


@dataclass(frozen=True)
class Table(Generic[Row]):
    """A table whose columns can be chosen. The first column always stays."""

    name: str
    columns: Sequence[Column[Row]]

    def shown(
        self, request: HttpRequest, without: Collection[str] = frozenset()
    ) -> ShownColumns[Row]:
        """The columns of the session's choice, but none of those `without` which the page is."""
        usual = [column.key for column in self.columns if column.on_request]
        hidden = {*request.session.get(SESSION_KEY, {}).get(self.name, usual), *without}
        first, *others = self.columns
        shown = [first, *(each for each in others if each.key not in hidden)]
        return ShownColumns(self, shown, sorted(without))

    @property
    def whole(self) -> ShownColumns[Row]:
        """All columns, whatever the session's choice is."""
        return ShownColumns(self, self.columns)

    def choose(self, request: HttpRequest, keys: Iterable[str]) -> None:
        """Show these columns in the rest of the session.

        The hidden ones are stored, so that a column of a later version is shown.
        """
        chosen = set(keys)
        hidden = [each.key for each in self.columns[1:] if each.key not in chosen]
        request.session[SESSION_KEY] = {
            **request.session.get(SESSION_KEY, {}),
            self.name: hidden,
        }


@dataclass(frozen=True)
class ShownColumns(Generic[Row]):
    """The columns that a person sees. In a template: `{% if "year" in columns %}`."""

    table: Table[Row]
    shown: Sequence[Column[Row]]
    without: Sequence[str] = ()  # the keys of columns that mean nothing here, in order

    def __contains__(self, key: object) -> bool:
        return any(column.key == key for column in self.shown)

    def __len__(self) -> int:
        return len(self.shown)

    def csv_lines(self, rows: Iterable[Row]) -> Iterator[str]:
        fields = {name: value for column in self.shown for name, value in column.fields.items()}
        yield from csv_lines([fields])
        yield from csv_lines((value(row) for value in fields.values()) for row in rows)

    @property
    def choices(self) -> list[tuple[Column[Row], bool]]:
        """The columns that can be hidden, and whether they are shown."""
        return [
            (column, column.key in self)
            for column in self.table.columns[1:]
            if column.key not in self.without
        ]


def in_batches(
    items: Iterable[Item], rows_of: Callable[[list[Item]], Iterable[Row]], size: int
) -> Iterator[Row]:
    """The rows of the items, which are read `size` at a time."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield from rows_of(batch)


def rows_of_file(
    queryset: QuerySet[Model_], rows_of: Callable[[list[Model_]], Iterable[Row]]
) -> Iterator[Row]:
    """The rows of all objects of the queryset, which are read in batches while they are sent."""
    return in_batches(queryset.iterator(chunk_size=BATCH), rows_of, BATCH)


def wants_csv(request: HttpRequest) -> bool:
    return request.GET.get("format") == "csv"


def csv_file(name: str, columns: ShownColumns[Row], rows: Iterable[Row]) -> StreamingHttpResponse:
    """All rows of the table as a download. They are sent while they are read."""
    lines = in_blocks(columns.csv_lines(rows))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    return as_download(response, f"{name}.csv")


def whole_file(slug: str, table: Table[Row], rows: Iterable[Row]) -> StreamingHttpResponse:
    """All columns and rows of a table of the collection, as `<collection>-<table>.csv`."""
    return csv_file(f"{slug}-{table.name}", table.whole, rows)
