"""Every address of the product, with arguments that exist."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import Collection, Invitation, Membership, User
from annotation.models import Pair, Practice
from corpus.models import Document, Query
from evaluation.models import ModelJudge
from pooling.models import Pool, PoolSet
from release.models import Release
from retrieval.models import Run

# What the numbers in an address are the keys of, by its name.
KEYS: dict[str, Any] = {
    "withdraw-invitation": Invitation,
    "person": Membership,
    "server-person": User,
    "erase-person": User,
    "remove-factors": User,
    "remove-person": Membership,
    "delete-query": Query,
    "run": Run,
    "run-file": Run,
    "delete-run": Run,
    "run-list": Run,
    "system": Run,
    "pool": Pool,
    "pool-set": PoolSet,
    "pool-manifest": PoolSet,
    "freeze-pools": PoolSet,
    "discard-pools": PoolSet,
    "reopen-pair": Pair,
    "document": Document,
    "screen-paper": Document,
    "check-labels": Document,
    "model-judge": ModelJudge,
    "practice": Practice,
    "close-practice": Practice,
    "own-training": Practice,
    "delete-model": ModelJudge,
    "api-documents-detail": Document,
    "api-runs-detail": Run,
    "api-runs-lists": Run,
    "api-pool-sets-detail": PoolSet,
    "api-pool-sets-freeze": PoolSet,
    "api-pool-sets-manifest": PoolSet,
    "api-pool-sets-candidates": PoolSet,
}


def patterns() -> list[tuple[str, URLPattern]]:
    """(address's name, pattern) of all pages that are ours; those of accounts/ are allauth's."""
    found: list[tuple[str, URLPattern]] = []

    def walk(entries: Any, prefix: str) -> None:
        for entry in entries:
            route = prefix + str(entry.pattern)
            if isinstance(entry, URLResolver):
                walk(entry.url_patterns, route)
            elif not route.startswith("accounts/"):
                found.append((route, entry))

    walk(get_resolver().url_patterns, "")
    return found


def addresses(collection: Collection) -> Iterator[tuple[str, str]]:
    """(name, path) of every address with every argument of the collection."""
    for route, pattern in patterns():
        name = str(pattern.name)
        choices: list[list[tuple[str, str]]] = []
        for parameter in pattern.pattern.converters:
            choices.append([(parameter, value) for value in values_of(name, parameter, collection)])
        for chosen in product(*choices):
            path = route
            for parameter, value in chosen:
                kind = next(kind for kind in ("slug", "int", "uuid", "str") if f"<{kind}:{parameter}>" in path)
                path = path.replace(f"<{kind}:{parameter}>", value)
            yield name, f"/{path}"


def values_of(name: str, parameter: str, collection: Collection) -> list[str]:
    if parameter == "slug":
        return [collection.slug]
    if parameter == "version":
        return [each.version for each in Release.objects.filter(collection=collection)] or ["1.0"]
    if parameter == "token":
        if name == "invitation":
            return ["none"]
        return [pair.token for pair in Pair.objects.filter(query__collection=collection)]
    if parameter == "query_pk":
        return [str(query.pk) for query in collection.queries.all()]
    if name in ("job", "cancel-job", "api-jobs-detail", "api-jobs-cancel"):
        return [str(job.pk) for job in collection.jobs.all()]
    return [str(row.pk) for row in KEYS.get(name, Query).objects.all()] or ["1"]
