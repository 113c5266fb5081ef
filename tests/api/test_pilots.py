"""Pilot rounds through the API."""

from __future__ import annotations

import pytest

from practice.models import PracticeSet
from tests.support.api_world import client_of
from tests.support.factories import a_collection, a_query, annotators
from tests.support.practice_scenes import practise, practise_all
from tests.support.worlds import once_a_file

WHERE = "/api/v1/collections/papers/pilots/"
BODY = {"annotators": ["ann1", "ann2"], "queries": 1, "per_query": 3}

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    collection = a_collection("papers")
    a_query(collection)
    return collection


@pytest.fixture
def admin(collection):
    return client_of("admin")


def test_a_round_is_started_and_listed(collection, admin):
    started = admin.post(WHERE, BODY, format="json")

    assert started.status_code == 201
    assert admin.get(WHERE).json()["results"] == [started.json()]
    assert started.json() | {"created_at": ""} == {
        "number": 1,
        "annotators": ["ann1", "ann2"],
        "queries": 1,
        "pairs": 3,
        "created_at": "",
        "closed_at": None,
    }


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"annotators": ["ann1"]}, 400, "at least 2"),
        ({"annotators": ["ann1", "adju"]}, 409, "No annotators of Papers: adju"),
        ({"annotators": ["ann1", "ann1"]}, 409, "at least two"),
        ({"named": ["nowhere"]}, 409, "has no query nowhere"),
        ({"queries": 51}, 400, "less than or equal to 50"),
    ],
)
def test_a_round_that_cannot_be_made_is_refused(collection, admin, change, status, words):
    refused = admin.post(WHERE, BODY | change, format="json")

    assert refused.status_code == status
    assert words in refused.text
    assert not PracticeSet.objects.exists()


def test_the_report_has_progress_and_agreement(collection, admin):
    admin.post(WHERE, BODY, format="json")
    practise_all(PracticeSet.objects.get(), (0, 0), (1, 2), (2, 2))

    report = admin.get(f"{WHERE}1/").json()

    assert [line["judged"] for line in report["progress"]] == [3, 3]
    (couple,) = report["couples"]
    assert couple["annotators"] == ["ann1", "ann2"]
    assert couple["coefficients"]["percent"] == pytest.approx(200 / 3)
    (group,) = report["agreement"]
    assert group["alpha_of_all"] == pytest.approx(couple["coefficients"]["alpha"])


def test_a_round_is_closed_and_a_round_with_judgments_is_not_removed(collection, admin):
    admin.post(WHERE, BODY, format="json")
    pilot = PracticeSet.objects.get()
    practise(pilot.pairs.first(), annotators(collection)[0])

    tried = admin.post(f"{WHERE}1/close/", {"dry_run": True}, format="json")
    assert tried.json()["closed_at"]
    assert not PracticeSet.objects.get().is_closed
    assert admin.delete(f"{WHERE}1/").status_code == 409
    assert admin.post(f"{WHERE}1/close/", {}, format="json").json()["closed_at"]
    assert PracticeSet.objects.get().is_closed


def test_a_round_without_judgments_is_removed(collection, admin):
    admin.post(WHERE, BODY, format="json")

    assert admin.delete(f"{WHERE}1/?dry_run=true").status_code == 200
    assert PracticeSet.objects.exists()
    assert admin.delete(f"{WHERE}1/").status_code == 204
    assert not PracticeSet.objects.exists()
