"""The overview of a collection, for each role. Its pages are in `stages.py`.

A new role needs an entry here and in `accounts.forms.ROLES_EXPLAINED`. A test checks both.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from accounts.models import Role


class OverviewPart(StrEnum):
    """A part of a collection's overview page."""

    PIPELINE = "pipeline"
    JUDGING = "judging"
    SET_UP = "set-up"
    ADJUDICATION = "adjudication"
    CURATION = "curation"


class RoleOverview(NamedTuple):
    """`counted_as` is a field of Counts."""

    sections: frozenset[OverviewPart]
    counted_as: str = ""


ROLE_OVERVIEWS: dict[Role, RoleOverview] = {
    Role.ANNOTATOR: RoleOverview(frozenset({OverviewPart.JUDGING}), "annotators"),
    Role.ADJUDICATOR: RoleOverview(frozenset({OverviewPart.ADJUDICATION}), "adjudicators"),
    Role.CURATOR: RoleOverview(frozenset({OverviewPart.CURATION}), "curators"),
    Role.OWNER_ANNOTATOR: RoleOverview(
        frozenset({OverviewPart.SET_UP, OverviewPart.JUDGING}), "annotators"
    ),
    Role.ADMIN: RoleOverview(frozenset({OverviewPart.PIPELINE}), "admins"),
}


def sections_of(roles: frozenset[str]) -> frozenset[OverviewPart]:
    """The sections of all the roles."""
    overviews = (overview for role, overview in ROLE_OVERVIEWS.items() if role in roles)
    return frozenset[OverviewPart]().union(*(overview.sections for overview in overviews))


def roles_by_field() -> dict[str, list[Role]]:
    """The roles whose people each field of the counts has."""
    fields: dict[str, list[Role]] = {}
    for role, overview in ROLE_OVERVIEWS.items():
        if overview.counted_as:
            fields.setdefault(overview.counted_as, []).append(role)
    return fields
