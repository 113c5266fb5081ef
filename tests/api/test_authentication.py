"""Tokens, sessions and addresses that are not there. Who has which address: `test_permissions`."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User

NOTHING_HERE = {"detail": "Not found.", "code": "not_found"}


def test_a_wrong_token_is_401(world):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Token nonsense")

    response = client.get("/api/v1/collections/")

    assert (response.status_code, response.json()["code"]) == (401, "authentication_failed")


def test_a_user_who_was_locked_out_gets_401(world, admin):
    User.objects.filter(username="admin").update(is_active=False)

    assert admin.get("/api/v1/collections/").status_code == 401


def test_a_session_may_read_but_needs_its_csrf_token_to_write(world):
    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(User.objects.get(username="admin"))
    where = reverse("api-agreement", args=[world.slug])

    assert browser.get(where).status_code == 200
    refused = browser.post(where, {}, format="json")

    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    assert refused.json()["detail"].startswith("CSRF")
    assert not world.collection.jobs.filter(kind="compute_agreement").exists()


@pytest.mark.parametrize(
    "path", ["nothing/", "collections", "collections/small", "collections/no%20such/runs/"]
)
def test_an_address_that_is_not_there_is_a_404_like_all_others(path, admin):
    response = admin.get(f"/api/v1/{path}")

    assert (response.status_code, response.json()) == (404, NOTHING_HERE)
