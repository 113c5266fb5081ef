"""A system's value on each query beside another system's: the figure, the best and the worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote_plus

from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection
from evaluation.comparison.figures import QUERIES, Sides, ValuePair, comparison_figure
from evaluation.leaderboard.selection import LeaderboardSelection
from scoring.labels import query_facets
from scoring.results import stored_values
from scoring.score_tables import ALL
from web.figures import Figure

MOST_SHOWN = 5  # of the best queries, and of the worst


class QueryRow(NamedTuple):
    """A query with the values of the system and of the other; `lists` has both ranked lists."""

    name: str
    title: str
    value: float
    other: float | None
    lists: str

    @property
    def difference(self) -> float | None:
        return None if self.other is None else self.value - self.other


@dataclass(frozen=True)
class QueryValues:
    """The values of a system on the queries of a facet. `other` is another system's name, or "".

    `choices` are those of the page, which the links to ranked lists keep.
    """

    collection: Collection
    system: str
    other: str
    measure: str
    own: Mapping[str, float]
    others: Mapping[str, float | None]
    choices: dict[str, str]

    @cached_property
    def lists(self) -> str:
        """The address of both ranked lists; for a query, it is followed by `&query=`."""
        chosen = {"first": self.other, "second": self.system} | self.choices
        parameters = urlencode({name: value for name, value in chosen.items() if value})
        return f"{reverse('ranked-lists', args=[self.collection.slug])}?{parameters}"

    def lists_of(self, query: str) -> str:
        return f"{self.lists}&query={quote_plus(query)}"

    @property
    def pairs(self) -> list[ValuePair]:
        """The queries with both values. Each leads to the ranked lists of its query."""
        return [
            ValuePair(query, other, value, self.lists_of(query))
            for query, value in self.own.items()
            if (other := self.others.get(query)) is not None
        ]

    def figure(self) -> Figure | None:
        """None if no query has both values."""
        pairs = self.pairs
        if not pairs:
            return None
        return comparison_figure(
            pairs,
            Sides(self.other, self.system),
            self.measure,
            name="comparison",
            title=f"{self.measure} by query",
            noun=QUERIES,
        )

    def extremes(self) -> tuple[list[QueryRow], list[QueryRow]]:
        """The best queries and the worst; a query is in one of them."""
        ranked = sorted(self.own.items(), key=lambda item: (-item[1], item[0]))
        number = min(MOST_SHOWN, len(ranked) // 2)
        best, worst = ranked[: len(ranked) - number][:MOST_SHOWN], ranked[len(ranked) - number :]
        titles = self._titles([name for name, _ in (*best, *worst)])
        rows = [
            QueryRow(name, titles.get(name, ""), value, self.others.get(name), self.lists_of(name))
            for name, value in (*best, *reversed(worst))
        ]
        return rows[: len(best)], rows[len(best) :]

    def _titles(self, names: Sequence[str]) -> dict[str, str]:
        queries = self.collection.queries.filter(name__in=names).with_titles()
        return {query.name: query.query_paper.title for query in queries}


def query_values(
    collection: Collection, choice: LeaderboardSelection, *, system: str, other: str
) -> QueryValues:
    """The stored values of both systems on the queries of the chosen facet."""
    stored = stored_values(
        collection, [system, other], choice.source, choice.profile.name, choice.measure
    )
    own = {query: value for query, value in stored.get(system, {}).items() if value is not None}
    if choice.place.facet != ALL:
        facets = query_facets(collection)
        own = {
            query: value for query, value in own.items() if facets.get(query) == choice.place.facet
        }
    return QueryValues(
        collection, system, other, choice.measure, own, stored.get(other, {}), choice.parameters
    )
