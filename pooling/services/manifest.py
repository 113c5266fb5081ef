"""The manifest of a building of pools: all that they follow from, and what proves them equal."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from django.conf import settings

from accounts.models import Collection
from pooling.models import Candidate, PoolBuild, Run
from pooling.services.errors import PoolingError
from pooling.services.keeping import Drawings
from pooling.services.plan import PoolPlan

# 3 told apart what a run is for and knows what pools leave out; a manifest of format 2 reads as
# one that leaves nothing out and draws from all its runs.
FORMAT = 3
READABLE = (2, FORMAT)
DRAWN = "drawn"  # what a run is for that pools are drawn from
ENGINES = ("numpy", "scipy", "scikit-learn", "tantivy", "gensim")


def manifest_of(
    collection: Collection, plan: PoolPlan, runs: list[Run], digest: str, drawings: Drawings
) -> dict[str, Any]:
    """What is kept with the pools. `digest` is the corpus's."""
    return {
        "format": FORMAT,
        "collection": collection.slug,
        **plan.as_json(),
        "seed": plan.seed or collection.seed,
        "corpus": {"documents": collection.documents.papers().count(), "sha256": digest},
        "runs": [{"use": plan.use_of(run.name).value, **_run(run, drawings.facts)} for run in runs],
        "pools": {
            "count": drawings.count,
            "sha256": drawings.sha256,
            "query_papers": drawings.facts,
        },
        "versions": versions(),
    }


def plan_of(manifest: Mapping[str, Any]) -> PoolPlan:
    """The plan that a manifest spells out, its runs named. Raises PoolingError if it is wrong."""
    uses = {run["name"]: run.get("use", DRAWN) for run in manifest["runs"]}
    plan = PoolPlan.of({**manifest, "runs": [name for name in uses if uses[name] == DRAWN]})
    plan.check_consistent()
    if lacking := [name for name in plan.known_runs if name not in uses]:
        raise PoolingError(f"The manifest is damaged: {lacking[0]} is not among its runs.")
    return plan


def _run(run: Run, drawn: Iterable[str]) -> dict[str, Any]:
    """A run may have been made for other query papers than those whose pools are drawn."""
    ranked = set(run.rankings.values_list("query_paper__document__docno", flat=True))
    return {
        "name": run.name,
        "kind": run.kind,
        "parameters": run.parameters,
        "depth": run.depth,
        "sha256": run.sha256,
        "also_ranked": sorted(ranked - set(drawn)),
        "not_ranked": sorted(set(drawn) - ranked),
    }


def versions() -> dict[str, str]:
    """This software, the language and the engines that are installed."""
    found = {"qrelsmith": settings.SOFTWARE_VERSION, "python": platform.python_version()}
    for name in ENGINES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def manifest_file(build: PoolBuild) -> dict[str, Any]:
    """The manifest as it is handed out: with the docnos of every pool that is still this build's.

    They let a rebuilding name the very document in which it differs.
    """
    manifest: dict[str, Any] = build.manifest
    if "query_papers" not in manifest.get("pools", {}):
        return manifest
    documents: dict[str, list[str]] = {}
    rows = Candidate.objects.filter(pool__build=build).order_by("pool", "position")
    for paper, docno in rows.values_list("pool__query_paper__document__docno", "document__docno"):
        documents.setdefault(paper, []).append(docno)
    papers = {
        docno: facts | ({"documents": documents[docno]} if docno in documents else {})
        for docno, facts in manifest["pools"]["query_papers"].items()
    }
    return manifest | {"pools": manifest["pools"] | {"query_papers": papers}}
