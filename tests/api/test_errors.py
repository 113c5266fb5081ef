import pytest
from rest_framework.test import APIClient

WHERE = "/api/v1/collections/small/queries/"


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b"{", "application/json", 400, "parse_error"),
        (b"[" * 100_000, "application/json", 400, "parse_error"),
        (b"[]", "application/json", 400, "invalid"),
        (b'{"docno": "\\ud800", "facet": "m"}', "application/json", 400, "invalid"),
        (b"docno=1", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b" " * (6 * 1024 * 1024), "application/json", 413, "too_large"),
    ],
)
def test_a_body_that_is_none_has_the_same_kind_of_error(body, kind, status, code, world, admin):
    response = admin.post(WHERE, body, content_type=kind)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert isinstance(response.json()["detail"], str)


@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        ({"name": "x" * (6 * 1024 * 1024)}, 413, "too_large"),
        ({f"field-{number}": "x" for number in range(1001)}, 400, "malformed"),
    ],
)
def test_a_form_too_large_is_refused(form, status, code, world, admin):
    response = admin.post("/api/v1/collections/small/runs/", form, format="multipart")

    assert (response.status_code, response.json()["code"]) == (status, code)


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "nonsense"])
def test_what_the_client_accepts_changes_nothing(accept, world, admin):
    response = admin.get(WHERE, headers={"Accept": accept})

    assert (response.status_code, response["Content-Type"]) == (200, "application/json")


def test_not_being_logged_in_comes_before_everything_else(world):
    assert APIClient().post(WHERE, b"{", content_type="application/json").status_code == 401
