"""Every page of an admin, of a full collection: narrow and dark, wide and light."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import Role, User
from dashboard.navigation.stages import STAGES
from tests.support.api_world import SHADOW_JUDGE
from tests.support.judging_page import log_in, problems_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OTHERS = (
    *("search", "import-documents", "document-imports", "import-full-texts", "add-query"),
    *("draw-sample", "paper-types", "add-run", "choose-models", "plan-pools", "new-study"),
    *("add-system", "ranked-lists", "plan-judging"),
    "import-shadow-judge",
)

ABOUT_LOOKS = ("color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block")
LOOKS = {
    "narrow and dark by all rules": (360, "dark", ()),
    "wide and light by those about width or colour": (1440, "light", ABOUT_LOOKS),
}


@pytest.fixture
def addresses(transactional_db, kept_world) -> list[str]:
    world = kept_world()
    User.objects.filter(username="admin").update(is_staff=True)  # who may make collections
    here = [world.slug]
    paper = world.paper
    pages = [page.url_name for stage in STAGES for page in stage.pages if Role.ADMIN in page.roles]
    below = {
        "document": paper,
        "check-document": paper,
        "sample": "periods",
        "query-choice": world.collection.query_choices.get().name,
        "study": world.study.name,
        "shadow-judge": SHADOW_JUDGE,
        "system": world.system.name,
        "query": world.query,
        "guideline": "method",
        "release": world.release.version,
        "release-changes": world.release.version,
        "report-erratum": world.release.version,
        "erratum": world.erratum.pk,
        "job": world.job.pk,
    }
    return [
        *(reverse(name, args=here) for name in (*pages, *OTHERS)),
        *(reverse(name, args=[*here, argument]) for name, argument in below.items()),
        reverse("screen-paper", args=[*here, "periods", 1]),
        *(
            reverse(name)
            for name in ("home", "account", "own-profiles", "new-collection", "public-releases")
        ),
    ]


@pytest.mark.by_day(4)
@pytest.mark.parametrize(
    ("half", "width", "theme", "rules"),
    [
        pytest.param(half, *look, id=f"{name}, half {half + 1}")
        for name, look in LOOKS.items()
        for half in (0, 1)
    ],
)
def test_every_page_is_accessible_and_no_wider_than_the_screen(
    half, width, theme, rules, new_context, live_server, addresses
):
    # Axe puts its own script into the page, which the policy forbids.
    # Without motion, colours change at once with the theme.
    context = new_context(bypass_csp=True, reduced_motion="reduce")
    log_in(context, live_server, User.objects.get(username="admin"))
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=theme)
    problems = []

    for address in addresses[half::2]:
        answer = page.goto(live_server.url + address)
        assert answer.ok, f"{address}: {answer.status}"
        problems += problems_of(page, width, rules)

    assert problems == []
