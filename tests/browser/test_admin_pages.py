"""Every page of an admin, of a full collection: narrow and dark, wide and light."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from accounts.models import Role, User
from dashboard.stages import STAGES
from tests.support.api_world import SHADOW_JUDGE, a_world
from tests.support.judging_page import assert_accessible, log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OTHERS = (
    *("search", "import-documents", "document-imports", "import-full-texts", "add-query"),
    *("draw-sample", "paper-types", "add-run", "choose-models", "plan-pools", "new-study"),
    "baselines",
    "import-shadow-judge",
)


@pytest.fixture
def addresses() -> list[str]:
    world = a_world()
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
        "pool": paper,
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
        *(reverse(name) for name in ("home", "account", "new-collection", "public-releases")),
    ]


def problem_of(page: Page, width: int) -> str:
    """What is wrong with the page, "" if nothing is."""
    too_wide = page.evaluate("document.documentElement.scrollWidth") > width
    try:
        assert_accessible(page)
    except AssertionError as error:
        return f"{page.url}: {error}"
    return f"{page.url}: wider than {width}" if too_wide else ""


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1440, "light")])
def test_every_page_is_accessible_and_no_wider_than_the_screen(
    new_context, live_server, addresses, width, theme
):
    # Axe puts its own script into the page, which the policy forbids.
    viewport = {"width": width, "height": 800}
    context = new_context(bypass_csp=True, color_scheme=theme, viewport=viewport)
    log_in(context, live_server, User.objects.get(username="admin"))
    page = context.new_page()
    problems = []

    for address in addresses:
        answer = page.goto(live_server.url + address)
        assert answer.ok, f"{address}: {answer.status}"
        problems.append(problem_of(page, width))

    assert not any(problems), [problem for problem in problems if problem]
