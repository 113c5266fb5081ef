"""The addresses that a person could request about a collection, from the URL resolver."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, product
from typing import Any, NamedTuple
from urllib.parse import quote

from django.urls import URLResolver, get_resolver

from accounts.models import Collection
from annotation.models import HelpRequest, Opening
from practice.models import PracticePair
from release.models import Erratum

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# The same for everybody, of no collection, or public.
ELSEWHERE = ("accounts/", "help/", "parts/", "releases/", "api/schema/", "api/docs/", "columns/")
MOST_OF_A_ROUTE = 24
SAMPLED = 2  # values of a parameter


class PairAddress(NamedTuple):
    """A pair as addresses name it, and its two documents."""

    query: str
    token: str
    docno: str
    query_paper: str


class Route(NamedTuple):
    """A route of the project, and the name of its address."""

    route: str
    name: str

    @property
    def parameters(self) -> list[str]:
        return PARAMETER.findall(self.route)

    def filled(self, values: Mapping[str, object]) -> str:
        path = PARAMETER.sub(lambda found: quote(str(values[found[1]])), self.route)
        return f"/{path}"


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[Route]:
    """Every route that can be about a collection. Those with regular expressions have none."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        elif "(?P" not in route and not route.startswith(ELSEWHERE):
            yield Route(route, pattern.name or route)


class AddressBook:
    """The addresses of a collection. Values of parameters are read once."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.routes = list(routes())

    def about(self, pairs: Sequence[PairAddress]) -> Iterator[tuple[Route, str]]:
        """The addresses of every route, with these pairs and the collection's other rows."""
        for route in self.routes:
            filled = (route.filled(values) for values in self._values(route, pairs))
            for address in islice(dict.fromkeys(filled), MOST_OF_A_ROUTE):
                yield route, address

    def _values(self, route: Route, pairs: Sequence[PairAddress]) -> Iterator[dict[str, object]]:
        names = list(dict.fromkeys(route.parameters))
        if "practice_set" in names:
            for practised, facet in product(self._practice_pairs, self._rows("facet")):
                yield {**practised, "facet": facet}
            return
        about_pairs = [name for name in names if name in ("query", "name", "token", "docno")]
        others = [name for name in names if name not in about_pairs]
        rest = [dict(zip(others, row, strict=True)) for row in product(*map(self._rows, others))]
        if not about_pairs:
            yield from rest
            return
        for pair, values in product(pairs, rest):
            for docno in (pair.docno, pair.query_paper) if "docno" in names else ("",):
                of_pair = {"query": pair.query, "name": pair.query, "token": pair.token}
                yield {**values, **of_pair, "docno": docno}
        if "name" in names and "token" not in names:
            for name, values in product(self._names, rest):
                yield {**values, "name": name}

    def _rows(self, parameter: str) -> Sequence[object]:
        return self._of_collection.get(parameter, ())

    @cached_property
    def _names(self) -> list[str]:
        """Of runs and systems, whose addresses have the parameter `name`, as those of queries."""
        return [
            name
            for rows in (self.collection.runs, self.collection.systems)
            for name in rows.order_by("pk").values_list("name", flat=True)[:SAMPLED]
        ]

    @cached_property
    def _practice_pairs(self) -> list[dict[str, object]]:
        """Pairs of practice sets, whose addresses no pair of live judging fits."""
        pairs = PracticePair.objects.filter(practice_set__collection=self.collection)
        return [
            {
                "slug": self.collection.slug,
                "practice_set": pair.practice_set.name,
                "name": pair.query.name,
                "token": pair.token,
            }
            for pair in pairs.select_related("practice_set", "query").order_by("pk")[:SAMPLED]
        ]

    @cached_property
    def _of_collection(self) -> dict[str, Sequence[object]]:
        """Values of the other parameters. One that is missing has none in this collection."""
        collection = self.collection
        members = collection.memberships.order_by("pk")
        openings = Opening.objects.filter(query__collection=collection).order_by("pk")
        rows: dict[str, Any] = {
            "version": collection.releases.order_by("pk").values_list("version"),
            "topic": collection.topics.order_by("pk").values_list("name"),
            "build": collection.pool_builds.order_by("pk").values_list("pk"),
            "plan": collection.saved_plans.order_by("pk").values_list("pk"),
            "study": collection.studies.order_by("pk").values_list("name"),
            "shadow_judge": collection.shadow_judges.order_by("pk").values_list("name"),
            "job_id": collection.jobs.order_by("created_at").values_list("pk"),
            "sample": collection.samples.order_by("pk").values_list("name"),
            "opening_id": openings.values_list("pk"),
            "help_request": HelpRequest.objects.of(collection).order_by("pk").values_list("pk"),
            "erratum_id": Erratum.objects.of(collection).order_by("pk").values_list("pk"),
            "membership_id": members.values_list("pk"),
            "user_id": members.values_list("user"),
            "username": members.values_list("user__username"),
        }
        return {
            **{name: [row for (row,) in found[:SAMPLED]] for name, found in rows.items()},
            "slug": [collection.slug],
            "practice_set": [
                each.name for each in collection.practice_sets.order_by("pk")[:SAMPLED]
            ],
            "choice": [choice.name for choice in collection.query_choices.order_by("pk")[:SAMPLED]],
            "facet": [facet.slug for facet in collection.facets.all()][:SAMPLED],
            "missing": ["exclude"],
            "position": [1],
            "number": [1, 2],
            "exclusion_id": [0],
            "figure": ["agreement", "grades", "progress"],
            "extension": ["svg"],
        }
