"""Passkeys in a real browser, with the virtual authenticator that Chromium has for tests."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import Action
from tests import builders

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(page_of, collection) -> Page:
    """Ann's, at the form for a new key, after her password."""
    ann = builders.person("ann")
    ann.set_password("correct horse")
    ann.save()
    opened = page_of("ann", reverse("account"))
    session = opened.context.new_cdp_session(opened)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    opened.get_by_role("link", name="Passkeys and second factor").click()
    opened.get_by_role("link", name="Add a key").click()
    opened.get_by_label("Password").fill("correct horse")
    opened.get_by_role("button", name="Confirm").click()
    return opened


def log_out(page: Page) -> None:
    page.locator(".topbar summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(re.compile("/accounts/login/"))


def test_a_passkey_logs_in_without_a_password(page):
    page.get_by_label("Name").fill("My laptop")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("Unused codes")).to_be_visible()
    acts = Action.objects.filter(verb="login").order_by("pk").values_list("object", flat=True)
    assert list(acts) == ["passkey or security key added", "recovery codes added"]
    log_out(page)
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.locator(".topbar .who")).to_have_text("ann")


def test_a_security_key_is_asked_for_after_the_password_or_a_recovery_code_once(page):
    page.get_by_label("Use it as a passkey").uncheck()
    page.get_by_role("button", name="Add").click()
    code = page.get_by_label("Unused codes").input_value().splitlines()[0]
    for use in ("key", "code", "the same code"):
        log_out(page)
        page.get_by_label("Username or e-mail").fill("ann")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Log in", exact=True).click()
        expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
        if use == "key":
            page.get_by_role("button", name="Use a passkey or security key").click()
        else:
            page.get_by_label("Code").fill(code)
            page.get_by_role("button", name="Log in").click()
        if use == "the same code":
            expect(page.get_by_text("Incorrect code")).to_be_visible()
        else:
            expect(page.locator(".topbar .who")).to_have_text("ann")
