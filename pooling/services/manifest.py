"""The manifest of a building of pools: all that they follow from, and what proves them equal."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef

from accounts.models import Collection
from corpus.texts import canonical_json
from pooling.models import Pool, PoolBuild, Run
from pooling.services.errors import PoolingError
from pooling.services.keeping import Drawings
from pooling.services.plan import PoolPlan
from pooling.services.runs import CITED

# 3 told apart what a run is for and knows what pools leave out; a manifest of format 2 reads as
# one that leaves nothing out and draws from all its runs. 4 has the shortfall and the depth of
# every pool and a digest of itself, and draws from `graph` in order under the strategy mdcr.
FORMAT = 4
READABLE = (2, 3, FORMAT)
DRAWN = "drawn"  # what a run is for that pools are drawn from
ENGINES = ("numpy", "scipy", "scikit-learn", "tantivy", "gensim")


def manifest_of(
    collection: Collection, plan: PoolPlan, runs: list[Run], digest: str, drawings: Drawings
) -> dict[str, Any]:
    """What is kept with the pools. `digest` is the corpus's."""
    manifest = {
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
    return manifest | {"sha256": digest_of(manifest)}


def digest_of(manifest: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of a manifest without its own digest and without the lists of documents.

    Documents are covered by the digests of their pools.
    """
    pools = manifest["pools"]
    papers = {
        docno: {key: value for key, value in facts.items() if key != "documents"}
        for docno, facts in pools["query_papers"].items()
    }
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    content = rest | {"pools": pools | {"query_papers": papers}}
    return hashlib.sha256(canonical_json(content)).hexdigest()


def plan_of(manifest: Mapping[str, Any]) -> PoolPlan:
    """The plan that a manifest spells out, its runs named. Raises PoolingError if it is wrong."""
    uses = {run["name"]: run.get("use", DRAWN) for run in manifest["runs"]}
    plan = PoolPlan.of({**manifest, "runs": [name for name in uses if uses[name] == DRAWN]})
    plan.check_consistent()
    for field, sources in (("forced", plan.forced), ("excluded", plan.excluded)):
        for name in sources:
            if name != CITED and name not in uses:
                raise PoolingError(
                    f"The manifest is damaged. {field}: {name} is not among its runs "
                    f"({', '.join(sorted(uses))})."
                )
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


def can_be_rebuilt(manifest: Mapping[str, Any]) -> bool:
    """Whether it tells how pools were drawn. The manifest of imported pools does not."""
    return "query_papers" in manifest.get("pools", {})


def builds_with_pools(collection: Collection) -> models.QuerySet[PoolBuild]:
    """The buildings of which a pool is left, newest first."""
    return collection.pool_builds.filter(Exists(Pool.objects.filter(build=OuterRef("pk"))))


def manifest_text(build: PoolBuild) -> str:
    """The manifest as a file."""
    text = json.dumps(manifest_file(build), ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n"


def manifest_file(build: PoolBuild) -> dict[str, Any]:
    """The manifest as it is handed out: with the docnos of every pool in the order drawn.

    They let a rebuilding name the very document in which it differs.
    """
    manifest: dict[str, Any] = build.manifest
    if not can_be_rebuilt(manifest):
        return manifest
    documents = dict(build.drawn_lists.values_list("query_paper", "documents"))
    papers = {
        docno: facts | ({"documents": documents[docno]} if docno in documents else {})
        for docno, facts in manifest["pools"]["query_papers"].items()
    }
    return manifest | {"pools": manifest["pools"] | {"query_papers": papers}}
