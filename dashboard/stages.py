"""The map of a collection: its pages by stage. A new page is one line here."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Role

EVERY_ROLE = frozenset(Role)


class Page(NamedTuple):
    """A page in the navigation. `url_name` is that of its address below `/c/<slug>/`."""

    label: str
    url_name: str
    roles: frozenset[Role]


class Stage(NamedTuple):
    """Pages that belong to one stage of making a collection."""

    label: str
    pages: tuple[Page, ...]


def _admin(label: str, url_name: str) -> Page:
    return Page(label, url_name, frozenset({Role.ADMIN}))


# In this order, so that a person's own work comes first. A stage of one page shows no second level.
STAGES = (
    Stage("Overview", (Page("Overview", "collection", EVERY_ROLE),)),
    Stage("Judge", (Page("Judge", "judge", frozenset({Role.ANNOTATOR})),)),
    Stage("Adjudicate", (Page("Adjudicate", "adjudicate", frozenset({Role.ADJUDICATOR})),)),
    Stage("Corpus", (_admin("Documents", "documents"), _admin("Queries", "queries"))),
    Stage("Pools", (_admin("Runs", "runs"), _admin("Pools", "pools"))),
    Stage(
        "Judging",
        (
            _admin("Progress", "board"),
            _admin("Not open yet", "open-queries"),
            _admin("People", "people"),
            _admin("Guidelines", "guidelines"),
            _admin("Import judgments", "import-judgments"),
        ),
    ),
    Stage("Results", (_admin("Agreement", "agreement"), _admin("Releases", "releases"))),
    Stage("Settings", (_admin("Collection", "collection-settings"), _admin("Jobs", "jobs"))),
)


def stages_of(roles: frozenset[str]) -> list[Stage]:
    """The stages with the pages that the roles open, without empty stages."""
    stages = (
        stage._replace(pages=tuple(page for page in stage.pages if page.roles & roles))
        for stage in STAGES
    )
    return [stage for stage in stages if stage.pages]
