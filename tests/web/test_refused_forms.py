"""A refused form can be reloaded by a browser, and an address of a form says that it is one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from web.requests import refused_forms

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NAVIGATES = {"Sec-Fetch-Mode": "navigate"}


@pytest.fixture
def admin(client, collection) -> Client:
    client.force_login(User.objects.get(username="admin"))
    return client


def refused(admin) -> str:
    """The address that the browser is sent to."""
    response = admin.post(
        "/c/small/people/new/", {"create-username": "two words"}, headers=NAVIGATES
    )
    assert response.status_code == 302
    return response.url


def test_a_browser_is_redirected_to_the_refused_form_and_can_reload_it(admin):
    address = refused(admin)

    for _ in range(2):
        page = admin.get(address)
        assert page.status_code == 422
        assert 'value="two words"' in page.text
        assert 'aria-invalid="true"' in page.text


def test_the_answer_is_kept_for_its_session_and_its_address_only(admin, collection):
    address = refused(admin)

    other = Client()
    other.force_login(User.objects.get(username="admin"))
    assert other.get(address).status_code == 405
    assert "two words" not in admin.get(address.replace("people/new", "people")).text
    admin.logout()
    assert admin.get(address).status_code in (302, 405)


def test_the_answer_leaves_the_session_after_an_hour_with_any_request(admin, monkeypatch):
    address, now = refused(admin), timezone.now

    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(minutes=59))
    admin.get("/c/small/people/")
    assert admin.get(address).status_code == 422
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(minutes=61))
    admin.get("/c/small/people/")

    assert refused_forms.SESSION_KEY not in admin.session
    assert admin.get(address).status_code == 405


def test_a_page_too_large_for_the_session_is_the_answer_itself(admin, monkeypatch):
    monkeypatch.setattr(refused_forms, "LARGEST", 100)

    sent = {"create-username": "two words"}
    assert admin.post("/c/small/people/new/", sent, headers=NAVIGATES).status_code == 422
    assert refused_forms.SESSION_KEY not in admin.session


def test_what_does_not_navigate_gets_the_answer_itself(admin):
    assert admin.post("/c/small/people/new/", {"create-username": "two words"}).status_code == 422


def test_the_address_of_a_form_says_what_it_is(admin):
    page = admin.get("/c/small/people/new/")

    assert page.status_code == 405
    assert page.headers["Allow"] == "POST"
    assert "only receives a form" in page.text
