"""The manifest of a pool build: everything the pools depend on, and digests to prove them equal."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef

from accounts.models import Collection
from pooling.errors import PoolingError
from pooling.models import Pool, PoolBuild
from pooling.provenance import digest_of
from pooling.services.drafts import NewPoolFile
from pooling.services.plans import PoolPlan
from retrieval.models import Run
from retrieval.run_names import CITED

FORMAT = 4
DRAWN = "drawn"  # the use of a run that pools are drawn from
ENGINES = ("numpy", "scipy", "scikit-learn", "tantivy", "gensim")


def manifest_of(
    collection: Collection, plan: PoolPlan, runs: list[Run], digest: str, new_pools: NewPoolFile
) -> dict[str, Any]:
    """The manifest that is stored with the pools. `digest` is the corpus's."""
    manifest = {
        "format": FORMAT,
        "collection": collection.slug,
        **plan.as_json(),
        "seed": plan.seed or collection.seed,
        "corpus": {"documents": collection.documents.count(), "sha256": digest},
        "runs": [
            {"use": plan.use_of(run.name).value, **_run_fields(run, new_pools.facts)}
            for run in runs
        ],
        "pools": {
            "count": new_pools.count,
            "sha256": new_pools.sha256,
            "query_papers": new_pools.facts,
        },
        "versions": versions(),
    }
    return manifest | {"sha256": digest_of(manifest)}


def plan_of(manifest: Mapping[str, Any]) -> PoolPlan:
    """The plan of a manifest, with its runs named. Raises PoolingError for an invalid manifest."""
    uses = {run["name"]: run["use"] for run in manifest["runs"]}
    plan = PoolPlan.of({**manifest, "runs": [name for name in uses if uses[name] == DRAWN]})
    plan.check_consistent()
    for field, sources in (("forced", plan.forced), ("excluded", plan.excluded)):
        for name in sources:
            if name != CITED and name not in uses:
                raise PoolingError(
                    f"The manifest is damaged. {field}: {name} is not among its runs "
                    f"({', '.join(sorted(uses))}). Download it again."
                )
    return plan


def _run_fields(run: Run, pool_papers: Iterable[str]) -> dict[str, Any]:
    """A run's fields. Its query papers can differ from the pooled ones."""
    ranked = set(run.rankings.values_list("query_paper__name", flat=True))
    return {
        "name": run.name,
        "kind": run.kind,
        "parameters": run.parameters,
        "depth": run.depth,
        "sha256": run.sha256,
        "also_ranked": sorted(ranked - set(pool_papers)),
        "not_ranked": sorted(set(pool_papers) - ranked),
    }


def versions() -> dict[str, str]:
    """The versions of Qrelsmith, Python and the installed engines."""
    versions_by_name = {"qrelsmith": settings.SOFTWARE_VERSION, "python": platform.python_version()}
    for name in ENGINES:
        try:
            versions_by_name[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions_by_name


def can_be_rebuilt(manifest: Mapping[str, Any]) -> bool:
    """Return whether it says how pools were drawn, even if damaged. Imported pools do not."""
    pools = manifest.get("pools")
    return isinstance(pools, dict) and "query_papers" in pools


def builds_with_pools(collection: Collection) -> models.QuerySet[PoolBuild]:
    """The builds that still have a pool, newest first."""
    return collection.pool_builds.filter(Exists(Pool.objects.filter(build=OuterRef("pk"))))


def manifest_text(build: PoolBuild) -> str:
    """The manifest as the text of a file."""
    text = json.dumps(manifest_file(build), ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n"


def manifest_file(build: PoolBuild) -> dict[str, Any]:
    """The manifest for download, with the docnos of every pool in the order drawn.

    The docnos let `rebuild_pools` name the document that differs.
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
