"""Make a release public, and private again."""

from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import User
from bundle.citation_page import page_content
from bundle.layouts.reports import AGREEMENT
from release.files import open_release
from release.models import PublicPeriod, Release
from release.versions.published_files import Unreadable, read_member


def make_public(*, release: Release, person: User | None) -> PublicPeriod:
    """Let everybody read and download the release. Does nothing if it is public already.

    Raises:
        ReleaseDamaged: the zip is missing or is not what was published.
    """
    open_release(release).close()
    page = page_content(release.manifest, _agreement(release))
    with transaction.atomic():
        lock_collection(release.collection)
        current = release.public_periods.current().first()
        if current is not None:
            return current
        _record(ActionKind.RELEASE_MADE_PUBLIC, release, person)
        return release.public_periods.create(page=page, began_by=person)


def _record(kind: ActionKind, release: Release, person: User | None) -> None:
    record_action(
        kind=kind,
        collection=release.collection,
        subject=about(SubjectKind.RELEASE, release.pk, release.version),
        by=person,
    )


def _agreement(release: Release) -> list[dict[str, Any]]:
    """The medians of each facet; none if the bundle has no agreement report."""
    try:
        report = json.loads(read_member(release, AGREEMENT))
    except Unreadable:
        return []
    facets: list[dict[str, Any]] = report["facets"]
    return facets


def make_private(*, release: Release, person: User | None) -> None:
    """Hide the release again. Does nothing if it is private already."""
    with transaction.atomic():
        lock_collection(release.collection)
        current = release.public_periods.current()
        if current.update(ended_at=timezone.now(), ended_by=person):
            _record(ActionKind.RELEASE_WITHDRAWN, release, person)
