"""The page that explains the API, in a browser, under the policy that allows no foreign source."""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import Collection, User
from tests.support.factories import UserFactory
from tests.support.judging_page import assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def docs(page: Page, live_server) -> Page:
    user = UserFactory(username="staff", is_staff=True)
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([{**session, "url": live_server.url}])
    return page


def test_it_loads_from_this_server_alone_and_breaks_no_policy(docs, live_server):
    asked: list[str] = []
    messages: list[str] = []
    docs.on("request", lambda request: asked.append(request.url))
    docs.on("console", lambda message: messages.append(message.text))

    docs.goto(f"{live_server.url}/api/docs/")
    expect(docs.locator(".opblock").first).to_be_visible()

    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []
    assert messages == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.by_day(2)
def test_it_is_accessible_in_both_themes(new_context, docs, live_server, theme):
    # Axe puts its own script into the page, which the policy forbids.
    context = new_context(
        bypass_csp=True, color_scheme=theme, storage_state=docs.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{live_server.url}/api/docs/")
    expect(page.locator(".opblock").first).to_be_visible()

    assert_accessible(page)


def test_an_operation_can_be_tried_there(docs, live_server):
    docs.goto(f"{live_server.url}/api/docs/")
    docs.locator(".opblock-post", has_text="Set up a collection").click()
    docs.get_by_role("button", name="Try it out").click()
    docs.locator("textarea.body-param__text").fill('{"slug": "tried", "name": "Tried"}')
    docs.get_by_role("button", name="Execute").click()

    expect(docs.locator(".live-responses-table .response-col_status").last).to_have_text("201")
    assert Collection.objects.filter(slug="tried").exists()
