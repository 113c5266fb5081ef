"""Who has which address. To everybody else it does not exist, and always in the same words."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from config.api_urls import in_collection
from tests.api.routes import EVERYBODY, ROUTES, address
from tests.api.world import another_collection, client_of
from tests.factories import UserFactory

NOTHING_HERE = {"detail": "Not found.", "code": "not_found"}
METHODS = ("get", "post", "put", "patch", "delete")


def answers(client, routes, world, slug="", methods=METHODS):
    """(route, method, status, body) of every method at every address."""
    for route in routes:
        for method in methods:
            response = getattr(client, method)(address(route, world, slug))
            streams = response.streaming or response["Content-Type"] != "application/json"
            yield route, method, response.status_code, None if streams else response.json()


def test_no_address_is_missing_from_these_tests():
    assert {route.name for route in ROUTES} == {pattern.name for pattern in in_collection}


@pytest.mark.parametrize("person", EVERYBODY)
def test_whoever_has_the_role_has_the_address(person, world):
    client = client_of(person)
    mine = [route for route in ROUTES if person in route.people]
    for route, method, status, _ in answers(client, mine, world, methods=["get", "post"]):
        if method == "get":
            assert (route.name, status) == (route.name, 200 if "get" in route.methods else 405)
        elif "post" in route.methods:
            assert (route.name, status) in {(route.name, good) for good in (200, 202, 400, 415)}


@pytest.mark.parametrize("person", [*EVERYBODY, "stranger"])
def test_the_address_does_not_exist_without_the_role(person, world):
    UserFactory(username="stranger")
    others = [route for route in ROUTES if person not in route.people]
    for route, method, *answer in answers(client_of(person), others, world):
        assert (route.name, method, *answer) == (route.name, method, 404, NOTHING_HERE)


@pytest.mark.parametrize("person", ["far-admin", "far-annotator", "far-adjudicator"])
def test_a_role_elsewhere_helps_nobody_here(person, world):
    another_collection()
    for route, method, *answer in answers(client_of(person), ROUTES, world):
        assert (route.name, method, *answer) == (route.name, method, 404, NOTHING_HERE)


@pytest.mark.parametrize("person", ["far-admin", "far-annotator"])
def test_what_belongs_to_one_collection_is_not_found_in_another(person, world):
    far = another_collection()
    named = [route for route in ROUTES if route.arguments]
    for route, method, status, body in answers(client_of(person), named, world, far.slug):
        assert (route.name, method, status) in {(route.name, method, one) for one in (404, 405)}
        assert status == 405 or body == NOTHING_HERE


@pytest.mark.parametrize("person", EVERYBODY)
def test_a_wrong_method_is_405(person, world):
    mine = [route for route in ROUTES if person in route.people]
    for route, method, status, body in answers(client_of(person), mine, world):
        if method not in route.methods:
            assert (route.name, status) == (route.name, 405)
            assert body["code"] == "method_not_allowed"


def test_without_token_or_session_it_is_401(world):
    for route, method, status, body in answers(APIClient(), ROUTES, world):
        assert (route.name, method, status) == (route.name, method, 401)
        assert body["code"] == "not_authenticated"


def test_a_wrong_token_is_401(world):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Token nonsense")

    response = client.get("/api/v1/collections/")

    assert (response.status_code, response.json()["code"]) == (401, "authentication_failed")


def test_somebody_who_was_locked_out_is_401(world, admin):
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
    "path", ["", "nothing/", "collections", "collections/small", "collections/no%20such/runs/"]
)
def test_an_address_that_is_not_there_is_a_404_like_all_others(path, admin):
    response = admin.get(f"/api/v1/{path}")

    assert (response.status_code, response.json()) == (404, NOTHING_HERE)
