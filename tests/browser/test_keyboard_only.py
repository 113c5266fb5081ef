"""From an invitation to a judgment with Tab, Enter and Space alone, in German."""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from playwright.sync_api import Page, expect

from accounts.invitations.addresses import Invitee
from accounts.invitations.services import invite
from accounts.models import Role, User
from annotation.models import Judgment
from annotation.services import open_query
from tests.support.factories import a_collection, a_query
from tests.support.judging_page import read_and_press
from tests.support.keyboard import press, tab_to, type_into, walk

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]
PASSWORD = "another horse battery"
PAGES = (
    *("account/", "accounts/email/", "accounts/sessions/", "account/tokens/", "account/data/"),
    *("accounts/second-factor/", "accounts/second-factor/recovery-codes/", "accounts/password/"),
    *("notices/", "account/about/", "privacy/", "c/small/", "c/small/own-help-requests/"),
)


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def go_to(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    expect(page.locator("html[lang=de]")).to_have_count(1)


def test_an_invited_person_needs_no_mouse_from_the_invitation_to_the_end_of_the_day(
    browser, live_server
):
    collection = a_collection()
    admin = User.objects.get(username="admin")
    invite(
        collection=collection,
        invitees=[Invitee("mara@example.org")],
        role=Role.ANNOTATOR,
        invited_by=admin,
        base_url=live_server.url,
    )
    (link,) = re.findall(r"http\S+/invitations/\S+", mail.outbox[0].body)
    page = browser.new_context(locale="de-DE").new_page()

    go_to(page, link)
    assert "Konto erstellen" in walk(page)
    go_to(page, link)
    type_into(page, "Benutzername", "mara")
    type_into(page, "Passwort", PASSWORD)
    type_into(page, "Passwort wiederholen", PASSWORD)
    press(page, "Konto erstellen")
    expect(page.get_by_text("Sie gehören jetzt zu Small")).to_be_visible()
    mara = User.objects.get(username="mara@small")
    assert mara.language == "de"  # that of the browser, for mails

    press(page, "mara@small")
    press(page, "Zweiten Faktor einrichten")
    press(page, "App einrichten")
    if page.get_by_label("Passwort").count():  # the invitation was proof enough for a while
        type_into(page, "Passwort", PASSWORD)
        press(page, "Bestätigen")
    secret = page.locator("code.secret").inner_text()
    type_into(page, "Code", code_of(secret))
    press(page, "App einrichten", "Space")
    expect(page.get_by_text("10 von 10 Codes sind unbenutzt")).to_be_visible()
    code = page.locator("code.secret").first.inner_text()
    assert mail.outbox[-1].subject == "[Qrelsmith] Zweiter Faktor eingerichtet"

    for address in PAGES:
        go_to(page, f"{live_server.url}/{address}")
        assert len(walk(page)) > 3
    go_to(page, f"{live_server.url}/account/tokens/")
    tab_to(page, "Token erstellen")
    page.keyboard.press("Enter")
    type_into(page, "Name", "Jupyter")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Name")).to_be_hidden()

    press(page, "Abmelden")
    page.wait_for_url("**/accounts/login/")
    assert "Español" in walk(page)
    page.reload()
    page.keyboard.type("mara@example.org")  # the field has the focus
    type_into(page, "Passwort", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/second-factor/code/**")
    type_into(page, "Code", code)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/c/small/")

    judges = (mara, User.objects.get(username="ann2"))
    open_query(query=a_query(collection), annotators=judges, opened_by=None)
    go_to(page, f"{live_server.url}/c/small/judge/")
    press(page, "Beginnen")
    read_and_press(page, "2")
    expect(page.locator("#judged")).to_have_text("1")
    expect(page.locator("#saved")).to_have_text("Gespeichert")
    assert Judgment.objects.get().slot.annotator == mara
    go_to(page, f"{live_server.url}/account/")
    tab_to(page, "Abmelden")
    page.keyboard.press("Enter")
    page.wait_for_url("**/accounts/login/")
    page.context.close()
