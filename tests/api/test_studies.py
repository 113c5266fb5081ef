"""Full-text studies through the API."""

from __future__ import annotations

import pytest

from tests.support.api_world import client_of
from tests.support.factories import a_collection
from tests.support.study_scenes import a_labelled_query, rate
from tests.support.worlds import once_a_file

WHERE = "/api/v1/collections/papers/studies/"
BODY = {"name": "study-1", "rater": "ann1", "queries": 1, "per_query": 3}

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    collection = a_collection("papers")
    a_labelled_query(collection, 0, 1, 2)
    return collection


@pytest.fixture
def admin(collection):
    return client_of("admin")


def test_a_study_is_created_and_listed(collection, admin):
    created = admin.post(WHERE, BODY, format="json")

    study = collection.studies.get()
    assert created.status_code == 201
    assert (study.rater.username, study.created_by.username) == ("ann1", "admin")
    assert admin.get(WHERE).json()["results"] == [created.json()]
    assert (created.json()["pairs"], created.json()["rated"]) == (3, 0)


def test_a_dry_run_answers_the_study_and_creates_none(collection, admin):
    tried = admin.post(WHERE, BODY | {"dry_run": True}, format="json")

    assert (tried.status_code, tried.json()["pairs"]) == (200, 3)
    assert not collection.studies.exists()


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"rater": "adju"}, 400, "Such annotators: ann1, ann2"),
        ({"rater": "nemo"}, 400, "Such annotators: ann1, ann2"),
        ({"name": "Study 1"}, 400, "Invalid name"),
        ({"named": ["nothing"]}, 400, "has no query nothing"),
        ({"queries": 2}, 400, "you asked for 2"),
    ],
)
def test_a_study_that_cannot_be_made_is_refused_with_the_reason(
    collection, admin, change, status, words
):
    refused = admin.post(WHERE, BODY | change, format="json")

    assert refused.status_code == status
    assert words in refused.json()["detail"]
    assert not collection.studies.exists()


def test_the_report_has_lines_once_every_pair_is_rated(collection, admin):
    admin.post(WHERE, BODY, format="json")
    study = collection.studies.get()
    before = admin.get(f"{WHERE}study-1/").json()
    for pair in study.pairs.all():
        rate(study, pair.position, grade=pair.label)

    after = admin.get(f"{WHERE}study-1/").json()

    assert (before["complete"], before["lines"], before["study"]["rated"]) == (False, [], 0)
    assert (after["complete"], after["study"]["rated"]) == (True, 3)
    [line] = [
        line
        for line in after["lines"]
        if (line["compared"], line["facet"]) == ("final labels", "all pairs")
    ]
    assert line["pairs"] == 3
    assert line["coefficients"]["percent"] == 100


def test_a_study_is_ended_and_a_dry_run_ends_nothing(collection, admin):
    admin.post(WHERE, BODY, format="json")

    tried = admin.post(f"{WHERE}study-1/end/", {"dry_run": True}, format="json")
    assert tried.json()["ended_at"] is not None
    assert collection.studies.get().ended_at is None

    ended = admin.post(f"{WHERE}study-1/end/", {}, format="json")
    again = admin.post(f"{WHERE}study-1/end/", {}, format="json")

    assert collection.studies.get().ended_at is not None
    assert ended.json() == again.json()


def test_a_study_that_does_not_exist_is_not_found(admin):
    assert admin.get(f"{WHERE}none/").status_code == 404
    assert admin.post(f"{WHERE}none/end/", {}, format="json").status_code == 404


def test_the_list_of_studies_costs_a_fixed_number_of_queries(
    collection, admin, django_assert_num_queries
):
    admin.post(WHERE, BODY, format="json")
    admin.post(WHERE, BODY | {"name": "study-2"}, format="json")

    with django_assert_num_queries(4):
        assert admin.get(WHERE).json()["count"] == 2
