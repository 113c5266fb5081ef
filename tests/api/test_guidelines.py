"""Guidelines through the API: read them, and write the next version."""

from __future__ import annotations

import pytest

from annotation.models import Guideline
from annotation.services import write_guideline

WHERE = "/api/v1/collections/small/guidelines/"


@pytest.fixture
def body(world) -> dict:
    """The next version of the method guideline, which says more than the newest one."""
    newest = world.collection.facets.get(key="method").guidelines.first()
    return {
        "based_on": newest.version,
        "instructions": "Compare the methods alone.",
        "grades": newest.grades,
    }


def test_every_version_is_listed_with_its_texts(world, admin):
    answer = admin.get(WHERE).json()

    versions = Guideline.objects.filter(facet__collection=world.collection)
    assert answer["count"] == versions.count() == 3
    method = next(row for row in answer["results"] if row["facet"] == "method")
    assert [grade["grade"] for grade in method["grades"]] == [0, 1, 2, 3]


def test_the_next_version_is_written_and_read(world, admin, body):
    written = admin.post(f"{WHERE}method/", body, format="json")

    assert (written.status_code, written.json()["version"]) == (201, body["based_on"] + 1)
    assert admin.get(f"{WHERE}method/").json() == written.json()
    assert written.json()["instructions"] == "Compare the methods alone."
    first = admin.get(f"{WHERE}method/?version={body['based_on']}").json()
    assert first["instructions"] != "Compare the methods alone."


def test_an_open_query_keeps_its_guideline(world, admin, body):
    before = world.opening.guideline_id

    admin.post(f"{WHERE}method/", body, format="json")

    world.opening.refresh_from_db()
    assert world.opening.guideline_id == before


def test_a_dry_run_answers_the_version_and_writes_none(world, admin, body):
    tried = admin.post(f"{WHERE}method/", body | {"dry_run": True}, format="json")

    assert (tried.status_code, tried.json()["version"]) == (200, body["based_on"] + 1)
    assert admin.get(f"{WHERE}method/").json()["version"] == body["based_on"]


def test_a_version_that_was_written_meanwhile_is_not_overwritten(world, admin, body):
    facet = world.collection.facets.get(key="method")
    write_guideline(facet=facet, instructions="Mine.", grades=body["grades"])

    refused = admin.post(f"{WHERE}method/", body, format="json")

    assert (refused.status_code, refused.json()["code"]) == (409, "guideline_changed")
    assert facet.guidelines.first().instructions == "Mine."


def test_a_guideline_describes_every_grade_of_the_scale(admin, body):
    refused = admin.post(f"{WHERE}method/", body | {"grades": body["grades"][:2]}, format="json")

    assert refused.status_code == 400
    assert "The scale of small is 0 to 3" in refused.json()["detail"]


def test_an_unknown_key_of_a_grade_is_refused(admin, body):
    grades = [grade | {"exampel": "x"} for grade in body["grades"]]

    refused = admin.post(f"{WHERE}method/", body | {"grades": grades}, format="json")

    assert refused.status_code == 400
    assert 'Did you mean \\"example\\"?' in refused.content.decode()


def test_a_facet_or_version_that_does_not_exist_is_not_found(admin, body):
    assert admin.get(f"{WHERE}colour/").status_code == 404
    assert admin.post(f"{WHERE}colour/", body, format="json").status_code == 404
    assert admin.get(f"{WHERE}method/?version=9").status_code == 404
