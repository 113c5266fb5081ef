"""Pages on paper: A4 within its margins, without menus, with tables and folded parts whole."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import User
from tests.support.judging_page import log_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]

A4 = {"width": 680, "height": 1009}  # within margins of 15 mm
MENUS = ".topbar, .tabs, .crumbs, footer, .button, .filter-bar, .screen-only"


def test_pages_print_without_menus_and_no_wider_than_the_paper(
    new_context, live_server, kept_world
):
    world = kept_world()
    context = new_context(viewport=A4)
    log_in(context, live_server, User.objects.get(username="admin"))
    page = context.new_page()
    page.emulate_media(media="print")

    for name, more in (("agreement", []), ("guideline", ["method"]), ("releases", [])):
        page.goto(live_server.url + reverse(name, args=[world.slug, *more]))
        assert page.get_by_role("heading", level=1).is_visible()
        assert page.locator(MENUS).evaluate_all("all => all.filter(e => e.checkVisibility())") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]
    # The last page is that of the release.
    assert page.get_by_text("Every id fits into a TREC file.").is_visible()
