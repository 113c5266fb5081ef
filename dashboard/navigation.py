"""The tabs of a collection, by role: at most seven, and at most 16 entries below them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from accounts.models import ADJUDICATOR, ADMIN, ANNOTATOR


@dataclass
class Tab:
    """`pages` are the names of the addresses that belong to it, beside those of its entries."""

    label: str
    entries: dict[str, str]  # the address's name: its label
    pages: tuple[str, ...] = field(default=())


ADMIN_TABS = [
    Tab("Overview", {"collection": "Overview"}, ("settings", "jobs", "job", "record", "search")),
    Tab(
        "Documents",
        {"documents": "Documents", "labels": "Sentence labels"},
        ("document", "import-documents", "check-labels"),
    ),
    Tab(
        "Queries",
        {"queries": "Queries"},
        (*("query", "add-queries", "import-topics"), *("sample-papers", "screen-paper", "choose-papers")),
    ),
    Tab(
        "Pools",
        {"pools": "Pools", "runs": "Runs"},
        ("pool-set", "build-pools", "pool", "run", "add-run", "add-vectors", "run-list"),
    ),
    Tab(
        "Judging",
        {
            "progress": "Progress",
            "guideline": "Guideline",
            "people": "People",
            "practices": "Practice",
            "cases": "Cases",
        },
        (
            *("open-queries", "edit-guideline", "person", "invite", "reopen-pair", "time"),
            *("practice", "add-practice", "own-training", "import-judgments", "import-labels"),
        ),
    ),
    Tab(
        "Results",
        {
            "agreement": "Agreement",
            "leaderboard": "Leaderboard",
            "compare": "Compare",
            "trust": "Trust",
            "copies": "Second opinion",
        },
        (
            *("system", "comparison", "add-ranking", "baselines"),
            *("model-judges", "model-judge", "add-model", "import-model"),
        ),
    ),
    Tab("Release", {"release": "Release", "datasheet": "Datasheet"}, ("version", "version-changes")),
]
ANNOTATOR_TABS = [
    Tab("Your queries", {"work": "Your queries"}, ("own-training",)),
    Tab("Your judgments", {"review": "Your judgments"}),
]
ADJUDICATOR_TABS = [Tab("Cases", {"queue": "Cases"}), Tab("Your decisions", {"decisions": "Your decisions"})]
GUIDELINE = Tab("Guideline", {"guideline": "Guideline"})


def tabs_for(roles: list[str]) -> list[Tab]:
    """An admin who also judges or decides finds that work under Judging."""
    if ADMIN in roles:
        own: dict[str, str] = {}
        if ANNOTATOR in roles:
            own |= {"work": "Your queries", "review": "Your judgments"}
        if ADJUDICATOR in roles:
            own |= {"queue": "Your cases", "decisions": "Your decisions"}
        return [Tab(tab.label, tab.entries | own, tab.pages) if tab.label == "Judging" else tab for tab in ADMIN_TABS]
    tabs = [
        *(ANNOTATOR_TABS if ANNOTATOR in roles else []),
        *(ADJUDICATOR_TABS if ADJUDICATOR in roles else []),
    ]
    return [*tabs, GUIDELINE]


def navigation(request: HttpRequest) -> dict[str, Any]:
    """For templates/base.html. Error pages and pages outside a collection have none."""
    membership = getattr(request, "membership", None)
    match = request.resolver_match
    if membership is None or match is None:
        return {"navigation": {}}
    slug, here, roles = membership.collection.slug, match.url_name, membership.roles
    tabs, current = [], None
    for tab in tabs_for(roles):
        is_current = here in tab.entries or here in tab.pages
        current = tab if is_current and current is None else current
        first = next(iter(tab.entries))
        entries = [
            {"label": label, "url": link(name, slug), "current": current is tab and name == here}
            for name, label in tab.entries.items()
        ]
        tabs.append(
            {
                "label": tab.label,
                "url": link(first, slug),
                "current": current is tab,
                "exact": here == first,
                "entries": entries if len(entries) > 1 else [],
            }
        )
    menu = [("settings", "Settings"), ("jobs", "Activity")] if ADMIN in roles else []
    return {
        "collection": membership.collection,
        "navigation": {
            "tabs": tabs,
            "menu": [{"label": label, "url": link(name, slug)} for name, label in menu],
            "can_search": ADMIN in roles,
        },
    }


def link(name: str, slug: str) -> str:
    try:
        return reverse(name, args=[slug])
    except NoReverseMatch:
        return "#"
