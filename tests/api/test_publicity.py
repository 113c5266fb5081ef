"""Releases are made public and private through the API."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

WHERE = "/api/v1/collections/small/releases/1.0/publicity/"


def test_a_release_is_made_public_and_private_again(world, admin):
    before = admin.get(WHERE).json()
    made = admin.post(WHERE, {}, format="json")

    assert (before["public"], before["periods"]) == (False, [])
    assert (made.status_code, made.json()["public"]) == (200, True)
    period = world.release.public_periods.get()
    assert period.began_by.username == "admin"

    hidden = admin.delete(WHERE)

    assert (hidden.status_code, hidden.json()["public"]) == (200, False)
    period.refresh_from_db()
    assert period.ended_by.username == "admin"
    assert len(hidden.json()["periods"]) == 1


def test_dry_runs_change_nothing(world, admin):
    tried = admin.post(WHERE, {"dry_run": True}, format="json").json()
    assert tried["public"]
    assert not world.release.public_periods.exists()

    admin.post(WHERE, {}, format="json")
    tried = admin.delete(f"{WHERE}?dry_run=true").json()

    assert not tried["public"]
    assert world.release.public_periods.current().exists()


def test_a_public_release_stays_public(world, admin):
    first = admin.post(WHERE, {}, format="json").json()

    assert admin.post(WHERE, {}, format="json").json() == first
    assert world.release.public_periods.count() == 1


def test_readers_without_an_account_see_what_the_api_made_public(world, admin):
    page = reverse("public-release", args=["small", "1.0"])
    assert Client().get(page).status_code == 404

    admin.post(WHERE, {}, format="json")

    assert Client().get(page).status_code == 200


def test_a_version_that_does_not_exist_is_not_found(admin):
    address = WHERE.replace("1.0", "9.9")

    assert admin.get(address).status_code == 404
    assert admin.post(address, {}, format="json").status_code == 404
    assert admin.delete(address).status_code == 404
