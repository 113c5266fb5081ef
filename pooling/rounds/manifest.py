"""The manifest of a pool round: what it was chosen from, and digests to prove it.

docs/manifest.md specifies it.

It names the manifests before it by SHA-256: those of the builds, and that of the round before. So
an earlier round cannot be exchanged without a difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from accounts.models import Collection
from pooling.models import Candidate, PoolBuild, PoolRound
from pooling.provenance import digest_of, stated_digest
from pooling.services.manifest import builds_with_pools

ROUND_FORMAT = 1


def build_sha256(build: PoolBuild) -> str:
    """The digest by which a round names a build. Imported pools have no digest of their own."""
    return stated_digest(build.manifest)


def previous_manifests(collection: Collection) -> dict[str, Any]:
    """The digests of the manifests before the next round: of builds with frozen pools, sorted."""
    builds = builds_with_pools(collection).filter(pools__frozen_at__isnull=False).distinct()
    last = collection.pool_rounds.order_by("number").last()
    return {
        "builds": sorted({build_sha256(build) for build in builds}),
        "round": last.manifest["sha256"] if last else None,
    }


def round_digest(manifest: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of a round's manifest without its own digest and without lists of documents."""
    return digest_of(manifest)


def is_round(manifest: Mapping[str, Any]) -> bool:
    """Return whether it is the manifest of a pool round, even if damaged."""
    return "round" in manifest and isinstance(manifest.get("pools"), dict)


def round_manifest_file(pool_round: PoolRound) -> dict[str, Any]:
    """The manifest for download, with the docnos that were added to each pool, in order."""
    manifest: dict[str, Any] = pool_round.manifest
    papers = manifest["pools"]["query_papers"]
    documents: dict[str, list[str]] = {paper: [] for paper in papers}
    for paper, docno in added_documents(pool_round):
        documents[paper].append(docno)
    with_documents = {paper: papers[paper] | {"documents": documents[paper]} for paper in papers}
    return manifest | {"pools": manifest["pools"] | {"query_papers": with_documents}}


def added_documents(pool_round: PoolRound) -> Iterator[tuple[str, str]]:
    """(query paper, docno) of the candidates of the round, by query paper and position."""
    rows = Candidate.objects.filter(
        round=pool_round.number, pool__query_paper__collection=pool_round.collection_id
    )
    ordered = rows.order_by("pool__query_paper__name", "position")
    yield from ordered.values_list("pool__query_paper__name", "document__docno").iterator()


def round_manifest_text(pool_round: PoolRound) -> str:
    """The manifest as the text of a file."""
    manifest = round_manifest_file(pool_round)
    text = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n"
