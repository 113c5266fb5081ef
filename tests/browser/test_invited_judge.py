"""From an invitation to the first judgment: mail, account, passkey, judging."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from annotation.models import Judgment
from annotation.services import open_query
from tests.support.factories import a_collection, a_query
from tests.support.judging_page import assert_accessible, log_in, read_and_press

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(2, day=0),
]
PASSWORD = "another horse battery"
KEEPS_PASSKEYS = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def log_out(page: Page) -> None:
    page.locator(".topbar").get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in", exact=True)).to_be_visible()


def test_an_invited_person_adds_a_passkey_and_judges(page, browser, live_server, settings):
    settings.EMAIL_BACKEND = "accounts.mail.files.FileBackend"
    collection = a_collection()
    User.objects.filter(username="admin").update(is_staff=True)
    log_in(page.context, live_server, User.objects.get(username="admin"))
    page.goto(f"{live_server.url}/c/small/people/")
    press(page, "Invite people")
    page.get_by_label("Emails").fill("Mara Lind <mara@example.org>")
    press(page, "Send the invitations")
    expect(page.get_by_role("heading", name="Invitations")).to_be_visible()
    assert_accessible(page)
    page.goto(f"{live_server.url}/mails/")
    page.get_by_role("link", name="Invitation to").click()
    link = page.locator(".mail-text a").get_attribute("href")

    mara = browser.new_context().new_page()
    devices = mara.context.new_cdp_session(mara)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": KEEPS_PASSKEYS})
    mara.goto(str(link))
    assert_accessible(mara)
    mara.get_by_label("Username").fill("mara")
    mara.get_by_label("Password", exact=True).fill(PASSWORD)
    mara.get_by_label("Password again").fill(PASSWORD)
    press(mara, "Create the account")
    expect(mara.get_by_text("You are an annotator of")).to_be_visible()

    mara.get_by_role("link", name="Mara Lind").click()
    mara.get_by_role("link", name="Set up a second factor").click()
    mara.get_by_role("link", name="Add a passkey").click()
    mara.get_by_label("Password").fill(PASSWORD)
    press(mara, "Confirm")
    mara.get_by_label("Also log in with it instead of the password").check()
    press(mara, "Add the passkey")
    expect(mara.get_by_text("10 of 10 codes are unused")).to_be_visible()
    assert_accessible(mara)

    log_out(mara)
    mara.get_by_label("Username or email").fill("mara@example.org")
    mara.get_by_label("Password").fill(PASSWORD)
    press(mara, "Log in")
    expect(mara.get_by_text("Your password was right")).to_be_visible()
    press(mara, "Use a passkey")
    mara.wait_for_url("**/c/small/")
    log_out(mara)
    press(mara, "Log in with a passkey")
    mara.wait_for_url("**/c/small/")

    judges = (User.objects.get(username="mara@small"), User.objects.get(username="ann2"))
    opening = open_query(query=a_query(collection), annotators=judges, opened_by=None)
    mara.goto(f"{live_server.url}/c/small/judge/{opening.query.name}/")
    read_and_press(mara, "2")
    expect(mara.locator("#judged")).to_have_text("1")
    expect(mara.locator("#saved")).to_have_text("Saved")
    assert Judgment.objects.get().slot.annotator == judges[0]
    mara.context.close()
