"""What each role sees of a collection: its tabs, and the sections of the overview.

A new role needs an entry here and in `accounts.forms.ROLES_EXPLAINED`. A test checks both.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from accounts.models import Role


class Section(StrEnum):
    """A part of a collection's overview page."""

    PIPELINE = "pipeline"
    JUDGING = "judging"
    ADJUDICATION = "adjudication"


class RolePages(NamedTuple):
    """`tabs` are pairs of a label and a URL name. `counted_as` is a field of Counts."""

    tabs: tuple[tuple[str, str], ...]
    sections: frozenset[Section]
    counted_as: str = ""


# In this order, so that the tabs of a person's own work come first.
ROLE_PAGES: dict[Role, RolePages] = {
    Role.ANNOTATOR: RolePages(
        tabs=(("Overview", "collection"), ("Judge", "judge")),
        sections=frozenset({Section.JUDGING}),
        counted_as="annotators",
    ),
    Role.ADJUDICATOR: RolePages(
        tabs=(("Overview", "collection"), ("Adjudicate", "adjudicate")),
        sections=frozenset({Section.ADJUDICATION}),
        counted_as="adjudicators",
    ),
    Role.ADMIN: RolePages(
        tabs=(
            ("Overview", "collection"),
            ("Documents", "documents"),
            ("Queries", "queries"),
            ("Runs", "runs"),
            ("Pools", "pools"),
            ("Judging", "board"),
            ("Guidelines", "guidelines"),
            ("Agreement", "agreement"),
            ("Releases", "releases"),
            ("Jobs", "jobs"),
            ("People", "people"),
            ("Settings", "collection-settings"),
        ),
        sections=frozenset({Section.PIPELINE}),
        counted_as="admins",
    ),
}


def pages_of(roles: frozenset[str]) -> list[RolePages]:
    """The entries of the roles, in the order of the registry."""
    return [pages for role, pages in ROLE_PAGES.items() if role in roles]


def sections_of(roles: frozenset[str]) -> frozenset[Section]:
    return frozenset[Section]().union(*(pages.sections for pages in pages_of(roles)))
