"""What people without a session, or at a wrong address, are told, and where they can go on."""

from __future__ import annotations

import re

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import Role
from demo.services import PEOPLE
from release.publicity import make_public
from release.services import publish_release
from tests.support.factories import UserFactory, a_collection, member
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import client_of, text_of
from web.requests.refusals import csrf_failure, server_error

LOGIN = "/accounts/login/"


@pytest.fixture
def named_server(settings):
    settings.SERVER_NAME = "Judgments at Example"
    settings.SERVER_CONTACT = "help@example.org"


# Log in


@pytest.mark.django_db
def test_the_login_page_names_the_server_and_whom_to_ask(client, named_server):
    page = text_of(client.get(LOGIN))

    assert "Judgments at Example" in page
    assert '<a href="mailto:help@example.org">help@example.org</a>' in page


@pytest.mark.django_db
def test_a_contact_may_be_a_web_page(client, settings):
    settings.SERVER_CONTACT = "https://example.org/help"

    assert '<a href="https://example.org/help">' in client.get(LOGIN).text


@pytest.mark.django_db
def test_without_a_contact_no_page_offers_an_empty_link(client):
    for path in (LOGIN, "/nowhere/"):
        assert "mailto:" not in client.get(path).text


@pytest.mark.django_db
def test_the_login_page_leads_to_public_releases_if_there_are_any(client):
    link = f'<a href="{reverse("public-releases")}">Download 1 public release</a>'
    assert link not in client.get(LOGIN).text

    release = publish_release(collection=a_judged_collection(), version="1.0")
    make_public(release=release, person=None)

    assert link in client.get(LOGIN).text


@pytest.mark.django_db
def test_only_the_demo_says_where_its_passwords_are(client, settings):
    assert "demo-accounts.json" not in client.get(LOGIN).text

    settings.DEMO = True
    page = client.get(LOGIN).text

    assert "demo-accounts.json" in page
    for username in PEOPLE:
        assert f"<code>{username}</code>" in page


# Error pages


@pytest.mark.django_db
def test_a_wrong_address_in_a_collection_leads_back_to_it():
    a_collection("small", "seed")

    page = client_of("ann1").get("/c/small/nowhere/")

    assert page.status_code == 404
    assert 'href="/c/small/"' in page.text


@pytest.mark.django_db
def test_an_address_of_another_collection_tells_nothing():
    a_collection("hidden-one")
    UserFactory(username="stranger")
    stranger = client_of("stranger")

    pages = [stranger.get(f"/c/{slug}/nowhere/") for slug in ("hidden-one", "missing-one")]

    assert [page.status_code for page in pages] == [404, 404]
    assert "hidden-one" not in pages[0].text
    hidden, missing = (re.sub(r'value="\w{64}"', "", page.text) for page in pages)
    assert hidden == missing


@pytest.mark.django_db
def test_a_page_of_another_role_leads_back_to_the_collection():
    collection = a_collection()
    member(collection, Role.ANNOTATOR, "ann1")

    page = client_of("ann1").get("/c/small/settings/")

    assert page.status_code == 404
    assert 'href="/c/small/"' in page.text


@pytest.mark.django_db
def test_without_a_login_a_wrong_address_leads_to_login_and_public_releases(client):
    page = client.get("/nowhere/").text

    assert f'href="{LOGIN}"' in page
    assert 'href="/releases/"' in page


@pytest.mark.django_db
def test_not_allowed_says_why_and_leads_on(named_server):
    UserFactory(username="person")

    page = client_of("person").get("/collections/new/")

    assert page.status_code == 403
    assert "Only staff may make collections." in page.text
    assert 'href="/"' in page.text
    assert "help@example.org" in page.text


def test_a_server_error_needs_no_database_and_names_the_contact(named_server):
    # Without the mark django_db, a query would fail this test.
    page = server_error(RequestFactory().get("/c/small/"))

    assert page.status_code == 500
    assert b"help@example.org" in page.content
    assert b"Judgments at Example" in page.content


def test_an_expired_form_leads_to_login_and_needs_no_database(named_server):
    page = csrf_failure(RequestFactory().post("/c/small/"))

    assert page.status_code == 403
    assert LOGIN.encode() in page.content
    assert b"Nothing was saved or changed" in page.content


def test_a_malformed_request_is_explained_and_leads_on(named_server):
    page = Client().get("/", {"q": "\0"})

    assert page.status_code == 400
    assert 'href="/"' in page.text
    assert "help@example.org" in page.text
