"""Releases as files, for tests that read, change or import them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from accounts.models import Collection
from bundle.options import ReleaseOptions
from bundle.zip.writing import pack
from release.services import build_bundle
from release.snapshot import take_snapshot
from tests.support.releases import EVERY_EXCEPTION

AS_IT_IS = ReleaseOptions()


class BuiltRelease(NamedTuple):
    """A release that is not published."""

    collection: Collection
    content: bytes  # of the zip

    @property
    def files(self) -> dict[str, bytes]:
        return unpacked(self.content)


def built_release(
    collection: Collection, options: ReleaseOptions = AS_IT_IS, accept=EVERY_EXCEPTION
) -> BuiltRelease:
    bundle = build_bundle(take_snapshot(collection, options), "1.0", accept)
    return BuiltRelease(collection, bundle.content)


def released_files(
    collection: Collection, options: ReleaseOptions = AS_IT_IS, accept=EVERY_EXCEPTION
) -> dict[str, bytes]:
    """The files of a release of the collection, by name."""
    return built_release(collection, options, accept).files


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_bundle(path: Path, files: Mapping[str, bytes]) -> Path:
    path.write_bytes(pack(files))
    return path


def with_new_sums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a manifest and a SHA256SUMS that fit them, as a forger would write."""
    changed = {name: content for name, content in files.items() if name != "SHA256SUMS"}
    manifest = json.loads(changed.pop("manifest.json"))
    manifest["files"] = {
        name: {"bytes": len(content), "sha256": _sha256(content)}
        for name, content in sorted(changed.items())
    }
    return with_sums({**changed, "manifest.json": json.dumps(manifest).encode()})


def with_sums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a SHA256SUMS that fits them, under the manifest as it is."""
    names = sorted(files.keys() - {"SHA256SUMS"})
    sums = "".join(f"{_sha256(files[name])}  {name}\n" for name in names)
    return {**files, "SHA256SUMS": sums.encode()}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
