"""The manifest: what a release is of, how it was made, and every file's checksum. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bundle.content import Content, Files
from bundle.formats.guideline_page import guideline_digest
from bundle.label_errors.layout import manifest_entries
from bundle.names import FORMAT, FORMAT_VERSION
from bundle.records import ReleasedGuideline
from bundle.snapshot import Snapshot
from bundle.zip.writing import digest_of, size_of


def build_manifest(content: Content, files: Files) -> dict[str, Any]:
    """The manifest as JSON types. `files` are all the others of the bundle but SHA256SUMS."""
    snapshot = content.snapshot
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "software": {"name": "qrelsmith", "version": content.software_version},
        "version": content.version,
        "options": snapshot.options.as_json(),
        "collection": snapshot.collection.as_json(),
        "accepted": [
            {**asdict(finding), "items": list(finding.items)} for finding in content.accepted
        ],
        "previous": _previous(snapshot),
        "errata": [erratum.name for erratum in snapshot.errata],
        "counts": content.counts.as_json(),
        "sample": content.sample and content.sample.as_json(),
        "folds": snapshot.folds.stated,
        "pool_builds": [
            {"manifest": build.manifest, "query_papers": list(build.query_papers)}
            for build in snapshot.builds
        ],
        "runs": [run._asdict() for run in snapshot.runs],
        "scopes": [scope._asdict() for scope in snapshot.scopes],
        "guidelines": [_guideline(guideline, snapshot) for guideline in snapshot.guidelines],
        "files": {
            name: {"bytes": size_of(files[name]), "sha256": digest_of(files[name])}
            for name in sorted(files)
        },
        **{name: value for name, value in _optional(snapshot).items() if value},
    }


def _optional(snapshot: Snapshot) -> dict[str, object]:
    """The parts that only some manifests have, so that the bytes of others stay the same.

    `referrals` and `guideline_changes` are the ranges of the collection's in CHANGELOG.md,
    `supports` the paragraph on pool bias.
    """
    return {
        "referrals": _range(snapshot.referrals_before, snapshot.referrals),
        "guideline_changes": _range(snapshot.guideline_changes_before, snapshot.guideline_changes),
        "pool_rounds": [row._asdict() for row in snapshot.rounds],
        "judgment_imports": [row._asdict() for row in snapshot.judgment_imports],
        "supports": snapshot.supports,
        "label_samples": manifest_entries(snapshot.label_samples.samples),
        "out_of_date_reports": list(snapshot.reports.out_of_date),
    }


def _range(before: int, rows: Sequence[object]) -> dict[str, int]:
    return {"first": before + 1, "last": before + len(rows)} if rows else {}


def _previous(snapshot: Snapshot) -> dict[str, Any] | None:
    """The version that CHANGELOG.md compares with, and whether its file could be read."""
    before = snapshot.previous
    if before is None:
        return None
    compared = before.qrels is not None
    return {"version": before.version, "sha256": before.sha256, "compared": compared}


def _guideline(guideline: ReleasedGuideline, snapshot: Snapshot) -> dict[str, Any]:
    return {
        "facet": guideline.facet,
        "version": guideline.version,
        "grades": [grade.get("name", "") for grade in guideline.grades],
        "sha256": guideline_digest(guideline),
        "queries": [
            query.name
            for query in snapshot.queries
            if (query.facet, query.guideline) == (guideline.facet, guideline.version)
        ],
    }
