"""Filters of a table, as chips. The address has the chosen ones: `?facet=method&state=open`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.http import urlencode

Condition = TypeVar("Condition")
Row = TypeVar("Row")
M = TypeVar("M", bound=Model)
Test = Callable[[Row], bool]


class FilterChoice(NamedTuple, Generic[Condition]):
    """A chip. Its condition is a `Q`, or a function of a row in memory."""

    value: str
    caption: str
    condition: Condition


@dataclass(frozen=True)
class Filter(Generic[Condition]):
    """Choices that exclude each other; `name` is that of the parameter."""

    name: str
    caption: str
    choices: Sequence[FilterChoice[Condition]]

    def chosen(self, parameters: QueryDict) -> FilterChoice[Condition] | None:
        """The choice in the address. An unknown value filters nothing, like an unknown sort."""
        value = parameters.get(self.name, "")
        return next((choice for choice in self.choices if choice.value == value), None)


def filter_queryset(
    rows: QuerySet[M], filters: Iterable[Filter[Q]], parameters: QueryDict
) -> QuerySet[M]:
    for table_filter in filters:
        if choice := table_filter.chosen(parameters):
            rows = rows.filter(choice.condition)
    return rows


def filter_rows(
    rows: Iterable[Row], filters: Iterable[Filter[Test[Row]]], parameters: QueryDict
) -> list[Row]:
    chosen = [choice for each in filters if (choice := each.chosen(parameters))]
    return [row for row in rows if all(choice.condition(row) for choice in chosen)]


class Chip(NamedTuple):
    """A choice as the page shows it.

    `url` removes the choice if it is chosen, and replaces the chosen one of its group otherwise. It
    is "" if none of its group is chosen: then the choice is a button of the form.
    """

    value: str
    caption: str
    is_chosen: bool
    url: str


class ChipGroup(NamedTuple):
    name: str
    caption: str
    chips: list[Chip]


@dataclass(frozen=True)
class FilterBar:
    """The search field and the chips above a table.

    The first choice of a group is a button of the form, not a link: links to every combination of
    choices would be hundreds of addresses.
    """

    path: str
    anchor: str
    caption: str  # of the search field
    button: str
    words: str
    groups: list[ChipGroup]
    chosen: list[tuple[str, str]]
    kept: list[tuple[str, str]]  # the other parameters, which the form sends again

    @property
    def is_active(self) -> bool:
        """Rows may be left out."""
        return bool(self.words or self.chosen)


def filter_bar(
    request: HttpRequest,
    filters: Sequence[Filter[Any]],
    *,
    caption: str,
    button: str,
    path: str = "",
    anchor: str = "",
    kept: Sequence[str] = ("sort",),
) -> FilterBar:
    """The bar of a page at `path`. `kept` names its parameters that filter nothing."""
    path = path or request.path
    chosen = {each.name: choice.value for each in filters if (choice := each.chosen(request.GET))}
    others = {name: request.GET[name] for name in kept if request.GET.get(name)}
    words = request.GET.get("q", "").strip()
    parameters = {**({"q": words} if words else {}), **chosen, **others}

    def address(changes: dict[str, str]) -> str:
        changed = {name: value for name, value in (parameters | changes).items() if value}
        return f"{path}{'?' if changed else ''}{urlencode(changed)}{anchor}"

    def chip(name: str, choice: FilterChoice[Any]) -> Chip:
        is_chosen = chosen.get(name) == choice.value
        url = address({name: "" if is_chosen else choice.value}) if name in chosen else ""
        return Chip(choice.value, choice.caption, is_chosen, url)

    groups = [
        ChipGroup(each.name, each.caption, [chip(each.name, choice) for choice in each.choices])
        for each in filters
    ]
    return FilterBar(
        path=path,
        anchor=anchor,
        caption=caption,
        button=button,
        words=words,
        groups=groups,
        chosen=list(chosen.items()),
        kept=list(others.items()),
    )
