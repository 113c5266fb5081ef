"""Every role has its pages and its part of the overview."""

from __future__ import annotations

from dataclasses import fields

import pytest

from accounts.forms import ROLES_EXPLAINED
from accounts.models import Role, User
from dashboard.navigation.stages import stages_of
from dashboard.overview.roles import ROLE_OVERVIEWS
from dashboard.overview.steps import CollectionCounts
from tests.support.factories import a_collection


def test_every_role_has_an_entry():
    assert set(ROLE_OVERVIEWS) == set(Role)
    assert set(ROLES_EXPLAINED) == set(Role)


@pytest.mark.parametrize("role", Role)
def test_every_role_has_the_overview_and_a_section(role):
    assert stages_of(frozenset({role}))[0].caption == "Overview"
    assert ROLE_OVERVIEWS[role].sections


@pytest.mark.parametrize("role", Role)
def test_people_of_a_role_are_counted_in_a_field_that_exists(role):
    assert ROLE_OVERVIEWS[role].counted_as in {
        "",
        *(field.name for field in fields(CollectionCounts)),
    }


@pytest.mark.django_db
def test_a_role_without_an_entry_breaks_neither_home_nor_overview(client, monkeypatch):
    a_collection()
    others = {
        role: overview for role, overview in ROLE_OVERVIEWS.items() if role != Role.ADJUDICATOR
    }
    monkeypatch.setattr("dashboard.overview.roles.ROLE_OVERVIEWS", others)
    for username in ("adju", "admin"):
        client.force_login(User.objects.get(username=username))
        assert client.get("/", follow=True).status_code == 200
        assert client.get("/c/small/").status_code == 200
