"""The files of a release, without publishing it."""

from __future__ import annotations

import zipfile

from accounts.models import Collection
from bundle.options import ReleaseOptions, Texts
from release.services import build_bundle
from release.snapshot import take_snapshot
from tests.support.releases import EVERY_EXCEPTION


def files_of(collection: Collection, texts: Texts = Texts.POOLED) -> dict[str, bytes]:
    """By their names; every finding of the gate is accepted."""
    bundle = build_bundle(take_snapshot(collection, ReleaseOptions(texts)), "1.0", EVERY_EXCEPTION)
    with zipfile.ZipFile(bundle.reader()) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
