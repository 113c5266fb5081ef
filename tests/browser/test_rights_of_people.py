"""Consent before judging, and the erasure of a person, in a real browser."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from accounts.models import Role, User
from annotation.consent.models import Consent
from annotation.models import Judgment
from tests.support.factories import UserFactory, a_collection, an_open_query, member
from tests.support.judging_page import assert_accessible, log_in, read_and_press
from tests.support.sittings import grades_in, slots_of
from tests.support.visits import address

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_a_judge_consents_judges_and_is_erased(page, context, live_server, settings, tmp_path):
    settings.DATA_DIR, settings.MAIL_DIR = tmp_path, tmp_path / "mails"
    collection = a_collection()
    opening = an_open_query(collection, size=1)
    judge, admin = User.objects.get(username="ann1"), User.objects.get(username="admin")
    log_in(context, live_server, admin)
    page.goto(live_server.url + address("people"))
    page.get_by_role("link", name="Consent").click()
    assert_accessible(page)
    page.get_by_label("Text").fill("## Einwilligung\n\nIhre Noten werden gespeichert.")
    page.get_by_role("button", name="Save the text").click()
    expect(page.locator(".notices")).to_contain_text("agree to version 1")

    log_in(context, live_server, judge)
    page.goto(live_server.url + address("judge-query", opening.query.name))
    expect(page.get_by_role("heading", name="Einwilligung")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 800})
    assert_accessible(page)
    assert not Judgment.objects.exists()
    page.get_by_role("button", name="I agree").click()
    expect(page.locator("#pair")).to_be_visible()
    read_and_press(page, "2")
    expect(page.get_by_role("heading", name="All 1 pairs are judged")).to_be_visible()
    assert grades_in(opening, "ann1") == [2]
    assert Consent.objects.get().person == judge
    page.goto(f"{live_server.url}/account/data/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download your data").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert {"account.jsonl", "judgments.jsonl", "consents.jsonl"} <= set(archive.namelist())
    page.locator("footer").get_by_role("link", name="Privacy").click()
    assert_accessible(page)

    log_in(context, live_server, UserFactory(username="root", is_staff=True))
    page.goto(f"{live_server.url}/account/")
    page.get_by_role("link", name="Export or erase a person").click()
    page.get_by_label("Username or email").fill("ann1")
    page.get_by_role("button", name="Find the person").click()
    assert_accessible(page)
    page.get_by_label("Type ann1 to confirm").fill("ann")
    page.get_by_role("button", name="Erase the person").click()
    expect(page.get_by_text("Nothing was erased").first).to_be_visible()
    page.get_by_label("Type ann1 to confirm").fill("ann1")
    page.get_by_role("button", name="Erase the person").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("erased-")
    assert not User.objects.filter(username="ann1").exists()
    (slot,) = slots_of(opening, User.objects.get(pk=judge.pk).username)
    assert slot.judgment.grade == 2
    member(collection, Role.ANNOTATOR, "ann3")  # judging goes on with another person
