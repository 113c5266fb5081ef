"""The content of the page of two ranked lists, read for one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection
from annotation.models import PairCount
from corpus.models import SOURCES, Query
from evaluation.error_browser.services import final_grades
from evaluation.significance.stored_values import usual_baseline
from scoring.systems.lists import list_for, run_list_for
from scoring.systems.named import NamedSystem

PAGE_RANKS = 25
MOST_QUERIES = 300  # in a list to choose from
SIDES = ("first", "second")


class ListedDocument(NamedTuple):
    """A document at a rank of one list. `grade` is its final one; None without a final label.

    `other_rank` is its rank in the other list, and `twin` the address of it there.
    """

    rank: int
    docno: str
    title: str
    is_known: bool
    grade: int | None
    other_rank: int | None
    twin: str


@dataclass(frozen=True)
class Side:
    """A list of the page. `rows` are those of the page's ranks; `value` is its stored score."""

    side: str
    system: NamedSystem
    length: int | None
    rows: list[ListedDocument]
    relevant: int
    unlabelled: int
    value: float | None

    @property
    def shown(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Neighbours:
    """The addresses of the previous and next query, and of the ranks before and after; or ""."""

    previous_query: str
    next_query: str
    ranks_before: str
    ranks_after: str


def chosen_query(collection: Collection, name: str) -> Query | None:
    """The query of the address; without one, the first that has a judged pair, or the first."""
    queries = collection.queries.select_related("facet", *SOURCES).order_by("name_order")
    if name:
        return queries.filter(name=name).first()
    judged = PairCount.objects.filter(query__collection=collection, judged__gt=0)
    return queries.filter(pk__in=judged.values("query")).first() or queries.first()


def names_of_sides(names: Sequence[str], first: str, second: str) -> tuple[str, str]:
    """The systems that were asked for; for "" a baseline and another system, if there are two.

    One system asked for twice is shown once.
    """
    first = first or usual_baseline([name for name in names if name != second] or list(names))
    second = second or next((name for name in names if name != first), "")
    return first, "" if second == first else second


def list_of(system: NamedSystem, query: Query) -> list[str] | None:
    """The docnos of the system's list for the query, best first; None if it has no list."""
    if system.run:
        return run_list_for(system.run, query)
    return list_for(system.system, query) if system.system else None


def sides_of(
    collection: Collection,
    systems: Sequence[NamedSystem],
    query: Query,
    page: int,
    parameters: Mapping[str, str],
    values: Mapping[str, float | None],
) -> list[Side]:
    """The lists of one or two systems. `parameters` are those of the page's address."""
    lists = [list_of(system, query) for system in systems]
    start = PAGE_RANKS * (page - 1)
    shown = [(docnos or [])[start : start + PAGE_RANKS] for docnos in lists]
    documents = collection.documents.filter(docno__in={docno for each in shown for docno in each})
    titles = dict(documents.order_by().values_list("docno", "title"))
    grades = final_grades(collection, query)
    relevant_from = collection.relevant_from
    sides = []
    for number, system in enumerate(systems):
        other = lists[1 - number] if len(lists) > 1 else None
        other_ranks = {docno: rank for rank, docno in enumerate(other or (), start=1)}
        rows = [
            ListedDocument(
                rank,
                docno,
                titles.get(docno, ""),
                docno in titles,
                grades.get(docno),
                other_rank := other_ranks.get(docno),
                _twin(SIDES[1 - number], other_rank, page, parameters) if other_rank else "",
            )
            for rank, docno in enumerate(shown[number], start=start + 1)
        ]
        docnos = lists[number]
        sides.append(
            Side(
                side=SIDES[number],
                system=system,
                length=None if docnos is None else len(docnos),
                rows=rows,
                relevant=sum(row.grade is not None and row.grade >= relevant_from for row in rows),
                unlabelled=sum(row.grade is None for row in rows),
                value=values.get(system.name),
            )
        )
    return sides


def _twin(side: str, rank: int, page: int, parameters: Mapping[str, str]) -> str:
    """The address of a rank of the other list, which may be on another page of ranks."""
    anchor = f"#{side}-{rank}"
    own_page = (rank - 1) // PAGE_RANKS + 1
    if own_page == page:
        return anchor
    return f"?{urlencode({**parameters, 'page': str(own_page)})}{anchor}"


def neighbours_of(
    collection: Collection,
    query: Query,
    sides: Sequence[Side],
    page: int,
    parameters: dict[str, str],
) -> Neighbours:
    """`parameters` are those of the page's address without the number of the page."""
    before, after = collection.queries.names_beside(query)
    path = reverse("ranked-lists", args=[collection.slug])

    def address(**changes: str) -> str:
        return f"{path}?{urlencode(parameters | changes)}"

    longest = max((side.length or 0 for side in sides), default=0)
    return Neighbours(
        previous_query=address(query=before) if before else "",
        next_query=address(query=after) if after else "",
        ranks_before=address(page=str(page - 1)) if page > 1 else "",
        ranks_after=address(page=str(page + 1)) if longest > PAGE_RANKS * page else "",
    )
