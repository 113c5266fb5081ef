"""The scopes of scoring that the collection, or its citations as labels, supports."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import Collection
from bundle.options import LabelSource
from bundle.records import ReleasedScope
from evaluation.leaderboard.supported_scopes import (
    ScopeSupport,
    scopes_under_citations,
    supported_scopes,
)


def released_scopes(collection: Collection, labels: LabelSource) -> tuple[ReleasedScope, ...]:
    if labels is LabelSource.CITATIONS:
        return _released(scopes_under_citations())
    return _released(supported_scopes(collection))


def _released(scopes: Iterable[ScopeSupport]) -> tuple[ReleasedScope, ...]:
    """A reason can be the paragraph of a report, which has line breaks."""
    return tuple(
        ReleasedScope(each.scope.value, each.answer, " ".join(each.reason.split()))
        for each in scopes
    )
