"""The map of a collection: its pages by stage. A new page is one line here."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Role

FULL_TEXT_STUDIES = "full-text-studies"  # shown to annotators who have a study
EVERY_ROLE = frozenset(Role)
CURATORS = frozenset({Role.ADMIN, Role.CURATOR})


class NavigationPage(NamedTuple):
    """A page in the navigation. `url_name` is that of its address below `/c/<slug>/`."""

    caption: str
    url_name: str
    roles: frozenset[Role]
    needs_facets: bool = False  # hidden where documents are judged as a whole


class Stage(NamedTuple):
    """Pages that belong to one stage of making a collection."""

    caption: str
    pages: tuple[NavigationPage, ...]


def _admin(caption: str, url_name: str) -> NavigationPage:
    return NavigationPage(caption, url_name, frozenset({Role.ADMIN}))


# In this order, so that a person's own work comes first. A stage of one page shows no second level.
STAGES = (
    Stage("Overview", (NavigationPage("Overview", "collection", EVERY_ROLE),)),
    Stage(
        "Judge",
        (
            NavigationPage("Judge", "judge", frozenset({Role.ANNOTATOR})),
            NavigationPage("Full-text study", FULL_TEXT_STUDIES, frozenset({Role.ANNOTATOR})),
        ),
    ),
    Stage(
        "Adjudicate", (NavigationPage("Adjudicate", "adjudicate", frozenset({Role.ADJUDICATOR})),)
    ),
    Stage("Corpus", (_admin("Documents", "documents"), _admin("Queries", "queries"))),
    Stage(
        "Curation",
        (
            _admin("Labels", "labels")._replace(needs_facets=True),
            NavigationPage("Check labels", "check-labels", CURATORS, needs_facets=True),
            _admin("Samples", "samples"),
            NavigationPage("Screen papers", "screen", CURATORS),
            _admin("Choice of queries", "choose-queries"),
        ),
    ),
    Stage("Pools", (_admin("Runs", "runs"), _admin("Pools", "pools"))),
    Stage(
        "Judging",
        (
            _admin("Progress", "board"),
            _admin("Not open yet", "open-queries"),
            _admin("People", "people"),
            _admin("Guidelines", "guidelines"),
            _admin("Import judgments", "import-judgments"),
            _admin("Settle again", "referrals"),
        ),
    ),
    Stage(
        "Evaluation",
        (
            _admin("Leaderboard", "leaderboard"),
            _admin("Systems", "systems"),
            _admin("Significance", "significance"),
            _admin("Compare systems", "compare-systems"),
            _admin("Facets compared", "paired-facets")._replace(needs_facets=True),
            _admin("Errors", "error-browser"),
        ),
    ),
    Stage(
        "Trust",
        (
            _admin("Pool bias", "pool-bias"),
            _admin("Whose labels", "label-effects"),
            _admin("Shadow judges", "shadow-judges"),
            _admin("Cited papers", "cited-papers"),
        ),
    ),
    Stage(
        "Results",
        (
            _admin("Agreement", "agreement"),
            _admin("Full-text studies", "studies"),
            _admin("Datasheet", "datasheet"),
            _admin("Releases", "releases"),
            _admin("Errata", "errata"),
        ),
    ),
    Stage("Settings", (_admin("Collection", "collection-settings"), _admin("Jobs", "jobs"))),
)


def stages_of(roles: frozenset[str], *, has_facets: bool = True) -> list[Stage]:
    """The stages with the pages that the roles open, without empty stages."""
    stages = (
        stage._replace(
            pages=tuple(
                page
                for page in stage.pages
                if page.roles & roles and (has_facets or not page.needs_facets)
            )
        )
        for stage in STAGES
    )
    return [stage for stage in stages if stage.pages]
