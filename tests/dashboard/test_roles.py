"""Every role has its tabs and its part of the overview."""

from __future__ import annotations

from dataclasses import fields

import pytest

from accounts.forms import ROLES_EXPLAINED
from accounts.models import Role, User
from dashboard.roles import ROLE_PAGES
from dashboard.steps import Counts
from tests.support.factories import a_collection


def test_every_role_has_an_entry():
    assert set(ROLE_PAGES) == set(Role)
    assert set(ROLES_EXPLAINED) == set(Role)


@pytest.mark.parametrize("role", Role)
def test_every_role_has_the_overview_and_a_section(role):
    pages = ROLE_PAGES[role]
    assert ("Overview", "collection") in pages.tabs
    assert pages.sections


@pytest.mark.parametrize("role", Role)
def test_people_of_a_role_are_counted_in_a_field_that_exists(role):
    assert ROLE_PAGES[role].counted_as in {"", *(field.name for field in fields(Counts))}


@pytest.mark.django_db
def test_a_role_without_an_entry_breaks_neither_home_nor_overview(client, monkeypatch):
    a_collection()
    others = {role: pages for role, pages in ROLE_PAGES.items() if role != Role.ADJUDICATOR}
    monkeypatch.setattr("dashboard.roles.ROLE_PAGES", others)
    monkeypatch.setattr("dashboard.counts.ROLE_PAGES", others)
    for username in ("adju", "admin"):
        client.force_login(User.objects.get(username=username))
        assert client.get("/", follow=True).status_code == 200
        assert client.get("/c/small/").status_code == 200
