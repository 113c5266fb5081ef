"""Every address of the API, with the roles that have it, and how to fill it in."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from tests.api.world import World

ADMIN, ANNOTATOR, ADJUDICATOR = "admin", "ann1", "adju"
EVERYBODY = (ADMIN, ANNOTATOR, ADJUDICATOR)


class Route(NamedTuple):
    name: str
    people: tuple[str, ...]
    methods: tuple[str, ...]
    arguments: tuple[str, ...] = ()


ROUTES = [
    Route("api-collection", EVERYBODY, ("get",)),
    Route("api-documents", (ADMIN,), ("get", "post")),
    Route("api-document", (ADMIN,), ("get",), ("paper",)),
    Route("api-queries", (ADMIN,), ("get", "post")),
    Route("api-topics", (ADMIN,), ("post",)),
    Route("api-runs", (ADMIN,), ("get", "post")),
    Route("api-run", (ADMIN,), ("get",), ("run.name",)),
    Route("api-run-file", (ADMIN,), ("get",), ("run.name",)),
    Route("api-embeddings", (ADMIN,), ("post",)),
    Route("api-pools", (ADMIN,), ("get", "post")),
    Route("api-pool", (ADMIN,), ("get",), ("paper",)),
    Route("api-pool-builds", (ADMIN,), ("get",)),
    Route("api-pool-manifest", (ADMIN,), ("get",), ("build.pk",)),
    Route("api-openings", (ADMIN,), ("get", "post")),
    Route("api-judging", (ANNOTATOR,), ("get",)),
    Route("api-next", (ANNOTATOR,), ("get",), ("query",)),
    Route("api-pair", (ANNOTATOR,), ("get",), ("query", "token")),
    Route("api-judge", (ANNOTATOR,), ("post",), ("query", "token")),
    Route("api-judgments", (ANNOTATOR,), ("get",)),
    Route("api-agreement", (ADMIN,), ("get", "post")),
    Route("api-releases", (ADMIN,), ("get", "post")),
    Route("api-release", (ADMIN,), ("get",), ("release.version",)),
    Route("api-bundle", (ADMIN,), ("get",), ("release.version",)),
    Route("api-jobs", (ADMIN,), ("get",)),
    Route("api-job", (ADMIN,), ("get",), ("job.pk",)),
    Route("api-cancel-job", (ADMIN,), ("post",), ("job.pk",)),
]


def address(route: Route, world: World, slug: str = "") -> str:
    return reverse(route.name, args=[slug or world.slug, *_values(route, world)])


def _values(route: Route, world: World) -> list[object]:
    values = []
    for argument in route.arguments:
        value: object = world
        for part in argument.split("."):
            value = getattr(value, part)
        values.append(value)
    return values
