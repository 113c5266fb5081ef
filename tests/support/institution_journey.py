"""An invited person logs in at the institution and judges; another one is turned away."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from accounts.invitations.addresses import Invitee
from accounts.invitations.services import store_invitation
from accounts.models import Role, User
from annotation.models import Judgment
from annotation.services import open_query
from tests.support.factories import a_collection, a_query
from tests.support.judging_page import assert_accessible, eventually, read_and_press

EMAIL = "mara@uni.example"
LogInThere = Callable[[Page, str], None]  # the provider's page, and the username


def join_and_judge(browser: Browser, server: str, log_in_there: LogInThere) -> None:
    collection = a_collection()
    admin = User.objects.get(username="admin")
    with transaction.atomic():
        letter = store_invitation(collection, Invitee(EMAIL), Role.ANNOTATOR, admin)
    _turn_away(browser, server, log_in_there)

    mara = browser.new_context().new_page()
    mara.goto(f"{server}{reverse('invitation', args=[letter.token])}")
    assert_accessible(mara)
    _press(mara)
    log_in_there(mara, "mara")
    expect(mara.get_by_text("You are an annotator of")).to_be_visible()
    person = User.objects.get(email=EMAIL)
    judges = (person, User.objects.get(username="ann2"))
    opening = open_query(query=a_query(collection), annotators=judges, opened_by=None)
    mara.goto(f"{server}/c/small/judge/{opening.query.name}/")
    read_and_press(mara, "2")
    eventually(mara, Judgment.objects.filter(slot__annotator=person).exists)
    assert Judgment.objects.count() == 1
    mara.goto(f"{server}{reverse('account')}")
    expect(mara.get_by_text(EMAIL).first).to_be_visible()
    assert_accessible(mara)
    mara.context.close()

    again = browser.new_context().new_page()
    again.goto(f"{server}/c/small/")
    assert_accessible(again)
    _press(again)
    log_in_there(again, "mara")
    again.wait_for_url("**/c/small/")
    again.context.close()


def _turn_away(browser: Browser, server: str, log_in_there: LogInThere) -> None:
    people = User.objects.count()
    page = browser.new_context().new_page()
    page.goto(f"{server}{reverse('login')}")
    _press(page)
    log_in_there(page, "eve")
    expect(page.get_by_role("heading", name="Not logged in")).to_be_visible()
    expect(page.get_by_text("There is no open invitation to eve@uni.example")).to_be_visible()
    assert_accessible(page)
    assert User.objects.count() == people
    page.context.close()


def _press(page: Page) -> None:
    page.get_by_role("button", name="Log in with Uni Example").click()
