"""Rebuild the lost file of a published version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from django.conf import settings

from accounts.models import Collection
from bundle.accepted_findings import AcceptedFinding
from bundle.errors import ReleaseError
from bundle.layouts.reports import report_file
from bundle.manifest import FORMAT_VERSION
from bundle.options import ReleaseOptions
from bundle.records import ReleasedReports, ReleasedScope
from release.errors import CannotKeep, CannotRestore, ReleaseDamaged
from release.files import cannot_keep, open_release, path_of, write_file
from release.models import Release
from release.services import PackedBundle, pack_bundle
from release.snapshot import take_snapshot
from release.snapshot.history import errata_named, previous_version, referrals_after

OWN = frozenset({"files", "format", "format_version", "software", "version"})  # own sentences


def open_or_restore(*, release: Release) -> BinaryIO:
    """The zip of a published version, opened for reading; built again only if it is lost.

    Raises:
        CannotRestore: it is lost, and what is built now has other bytes.
    """
    try:
        return open_release(release)
    except ReleaseDamaged as damage:
        restore_release(release=release, what=damage.what)
        return open_release(release)


def restore_release(*, release: Release, what: str = "is missing") -> None:
    """Build the file of a published version again, and keep it if no byte differs.

    It is built as it was: under the recorded version of the software, with the recorded exceptions,
    and whatever the gate finds by now. `what` says what happened to the file.

    Raises:
        CannotRestore: the bytes differ.
        CannotKeep: the release folder is full or cannot be written.
    """
    try:
        with cannot_keep():
            bundle = _build_again(release)
    except CannotKeep:
        raise
    except ReleaseError as error:
        raise CannotRestore(release, what, [str(error)]) from error
    if bundle.sha256 != release.sha256:
        raise CannotRestore(release, what, [*_differences(release.manifest, bundle.manifest)])
    with cannot_keep():
        write_file(path_of(release.collection.slug, release.version), bundle.reader())


def _build_again(release: Release) -> PackedBundle:
    if release.manifest["format_version"] != FORMAT_VERSION:
        raise ReleaseError(
            f"It is of format {release.manifest['format_version']}, and this software writes "
            f"format {FORMAT_VERSION}. Qrelsmith {release.manifest['software']['version']} can "
            "build it again."
        )
    # Their findings can be others by now, if a report is computed again.
    accepted = [AcceptedFinding.from_json(entry) for entry in release.manifest["accepted"]]
    options = ReleaseOptions.from_json(release.manifest["options"])
    snapshot = take_snapshot(release.collection, options)
    snapshot = replace(snapshot, **_as_recorded(release, snapshot.reports))
    return pack_bundle(
        snapshot,
        release.version,
        accepted,
        software_version=release.manifest["software"]["version"],
    )


def _as_recorded(release: Release, reports: ReleasedReports) -> dict[str, Any]:
    """Facts that a later snapshot cannot have, because they change on their own.

    Reports can be computed, or be out of date, after the release. Later versions are
    published, and errata are settled.
    """
    collection, manifest = release.collection, release.manifest
    before = manifest["previous"]
    previous = collection.releases.get(version=before["version"]) if before else None
    return {
        "supports": manifest.get("supports", ""),
        "scopes": tuple(ReleasedScope(**entry) for entry in manifest.get("scopes", ())),
        "previous": previous_version(previous, readable=bool(before and before["compared"])),
        "errata": errata_named(collection, manifest["errata"]),
        **_recorded_referrals(collection, manifest),
        "reports": _recorded_reports(reports, manifest),
    }


def _recorded_referrals(collection: Collection, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the release's own changelog."""
    recorded = manifest.get("referrals")
    if not recorded:
        return {"referrals": (), "referrals_before": 0}
    before = recorded["first"] - 1
    return {
        "referrals": referrals_after(collection, before, recorded["last"]),
        "referrals_before": before,
    }


def _recorded_reports(reports: ReleasedReports, manifest: Mapping[str, Any]) -> ReleasedReports:
    """The reports that the release had, as they are now. If one has changed, the bytes differ."""
    current = {
        key: report
        for key, report in reports.current.items()
        if report_file(key) in manifest["files"]
    }
    return ReleasedReports(current, tuple(manifest.get("out_of_date_reports", ())))


def _differences(recorded: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> Iterator[str]:
    """The reasons why the bytes differ, in sentences."""
    software = recorded["software"]["version"]
    if software != settings.SOFTWARE_VERSION:
        yield (
            f"It was published with Qrelsmith {software}, and this is {settings.SOFTWARE_VERSION}."
        )
    if parts := _differing_names(recorded, rebuilt) - OWN:
        yield f"Parts of the manifest that differ: {', '.join(sorted(parts))}."
    if files := _differing_names(recorded["files"], rebuilt["files"]):
        yield f"Files that differ: {', '.join(sorted(files))}."


def _differing_names(recorded: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> set[str]:
    names = recorded.keys() | rebuilt.keys()
    return {name for name in names if recorded.get(name) != rebuilt.get(name)}
