"""The page of parts: what all pages are built from, at three widths and in both themes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import FloatRect, Locator, Page

from accounts.models import User
from tests.support.factories import a_collection
from tests.support.judging_page import log_in, problems_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.by_day(4)]


@pytest.fixture
def admin():
    a_collection()
    return User.objects.get(username="admin")


def test_the_page_exists_in_the_demo_only(admin, settings):
    client = Client()
    client.force_login(admin)

    assert client.get(reverse("parts")).status_code == 404
    settings.DEMO = True
    assert client.get(reverse("parts")).status_code == 200


@pytest.fixture
def open_parts(new_context, live_server, admin, settings):
    settings.DEMO = True

    def open_page(width: int, theme: str) -> Page:
        # Axe puts its own script into the page, which the policy forbids.
        viewport = {"width": width, "height": 900}
        context = new_context(bypass_csp=True, color_scheme=theme, viewport=viewport)
        log_in(context, live_server, admin)
        page = context.new_page()
        page.goto(live_server.url + reverse("parts"))
        return page

    return open_page


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_part_fits_and_is_accessible(open_parts, theme):
    page, problems = open_parts(1440, theme), []

    for width in (1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        problems += problems_of(page, width)
        left_edges = {round(part.bounding_box()["x"]) for part in page.locator("[data-part]").all()}
        problems += [left_edges] if len(left_edges) > 1 else []

    assert problems == []


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_controls_look_different_at_rest_under_the_pointer_in_focus_and_pressed(open_parts, theme):
    page = open_parts(1440, theme)

    for name in ("Primary", "Plain", "Remove", "Small", "Quiet", "Link"):
        control = page.locator("[data-part]").get_by_text(name, exact=True)
        assert len(set(looks_of(page, control))) == 4, name


def looks_of(page: Page, control: Locator) -> Iterator[bytes]:
    """Pictures of the control at rest, in focus, under the pointer and pressed."""
    box = control.bounding_box()
    around = FloatRect(
        x=box["x"] - 6, y=box["y"] - 6, width=box["width"] + 12, height=box["height"] + 12
    )

    def picture() -> bytes:
        page.wait_for_timeout(150)  # until the transition of colours has ended
        return page.screenshot(clip=around)

    page.mouse.move(0, 0)
    yield picture()
    control.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    yield picture()
    control.evaluate("control => control.blur()")
    control.hover()
    yield picture()
    page.mouse.down()
    yield picture()
    page.mouse.move(0, 0)
    page.mouse.up()
