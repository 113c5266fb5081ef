"""The errata as the pages of a version show them."""

from __future__ import annotations

from release.errata.models import Erratum, ErratumState
from release.models import Release

MOST_SHOWN = 100


def known_errors(release: Release) -> list[Erratum]:
    """The accepted reports about a version, the newest first."""
    accepted = release.errata.filter(state=ErratumState.ACCEPTED)
    return list(accepted.defer("problem", "email").order_by("-settled_at", "-pk")[:MOST_SHOWN])
