"""What an owner-annotator is told of jobs."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Role, User
from jobs import registry
from jobs.models import Job, State
from tests.support.api_world import client_of as api_client_of
from tests.support.factories import a_collection, member
from tests.support.visits import csv_rows

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SECRET = "bm25_secret"


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    kinds = {
        "whole": registry.JobKind("Import papers", owners=registry.WHOLE),
        "state": registry.JobKind("Draw the candidates", owners=registry.STATE),
        "hidden": registry.JobKind("Compute a secret report"),
    }
    monkeypatch.setattr(registry, "_handlers", dict.fromkeys(kinds, lambda lease: {}))
    monkeypatch.setattr(registry, "_kinds", kinds)


@pytest.fixture
def collection():
    collection = a_collection()
    member(collection, Role.OWNER_ANNOTATOR, "owner")
    return collection


@pytest.fixture
def owner(collection) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="owner"))
    return client


def a_job(collection, kind: str, state: State = State.FAILED) -> Job:
    return collection.jobs.create(
        kind=kind,
        key=str(uuid.uuid4()),
        state=state,
        lease=uuid.uuid4() if state == State.RUNNING else None,
        parameters={"name": SECRET, "filename": f"{SECRET}.run"},
        result={"runs": SECRET, "first_rows": {"columns": ["venue"], "rows": [["A venue"]]}},
        error=f"{SECRET} failed" if state == State.FAILED else "",
        progress_note=SECRET,
    )


def pages(client: Client, collection, job: Job) -> list[str]:
    slug = collection.slug
    addresses = [
        reverse("jobs", args=[slug]),
        f"{reverse('jobs', args=[slug])}?format=csv",
        reverse("job", args=[slug, job.pk]),
        reverse("job-card", args=[slug, job.pk]),
    ]
    return [client.get(address).getvalue().decode() for address in addresses]


@pytest.mark.parametrize("state", [State.FAILED, State.RUNNING, State.SUCCEEDED])
def test_of_a_kind_with_a_secret_result_only_the_state_is_told(collection, owner, state):
    job = a_job(collection, "state", state)

    texts = pages(owner, collection, job)

    assert all(SECRET not in text for text in texts)
    assert state.label in texts[2]


def test_an_admin_is_told_all(collection):
    client = Client()
    client.force_login(User.objects.get(username="admin"))

    assert all(SECRET in text for text in pages(client, collection, a_job(collection, "state")))


def test_a_kind_that_does_not_name_owners_does_not_exist(collection, owner):
    job = a_job(collection, "hidden")

    assert "secret report" not in owner.get(reverse("jobs", args=[collection.slug])).text
    for name in ("job", "job-card"):
        assert owner.get(reverse(name, args=[collection.slug, job.pk])).status_code == 404
    for name in ("cancel-job", "try-job-again", "import-checked"):
        assert owner.post(reverse(name, args=[collection.slug, job.pk])).status_code == 404


def test_a_search_does_not_find_the_words_of_a_hidden_reason(collection, owner):
    a_job(collection, "state")
    a_job(collection, "whole")

    page = owner.get(reverse("jobs", args=[collection.slug]), {"q": SECRET, "format": "csv"})

    assert [row["kind"] for row in csv_rows(page)] == ["whole"]


def test_the_first_rows_of_a_file_are_not_told(collection, owner):
    job = a_job(collection, "whole", State.SUCCEEDED)

    assert "A venue" not in owner.get(reverse("job", args=[collection.slug, job.pk])).text


def test_the_api_tells_the_same(collection, owner):
    whole, state, hidden = (a_job(collection, kind) for kind in ("whole", "state", "hidden"))
    client, address = api_client_of("owner"), f"/api/v1/collections/{collection.slug}/jobs/"

    listed = client.get(address).json()["results"]

    assert {row["id"] for row in listed} == {str(whole.pk), str(state.pk)}
    answer = client.get(f"{address}{state.pk}/").json()
    assert (answer["state"], answer["result"], answer["progress_note"]) == ("failed", None, "")
    assert SECRET not in answer["error"]
    assert client.get(f"{address}{hidden.pk}/").status_code == 404
