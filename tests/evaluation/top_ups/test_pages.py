"""The page and the API of pool rounds."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import Role, User
from annotation.models import Pair
from jobs.models import Job
from jobs.services import run
from pooling.models import PoolRound
from tests.support.factories import a_collection, an_open_query, member
from tests.support.rounds import a_frozen_collection, late, top_up
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
PLAN = {"runs": ["late"], "choice": "all-unjudged", "depth": 3, "reason": "It came late."}


@once_a_file
def collection():
    collection = a_frozen_collection()
    late(collection, "late", ["d06", "d01", "d07", "d08"])
    return collection


def page(collection, values=None, *, status=200):
    response = client_of("admin").get(reverse("pool-rounds", args=[collection.slug]), values or {})
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def test_the_page_previews_a_round_and_adds_nothing(collection):
    text = page(collection, PLAN)
    assert "<strong>2</strong> documents · <strong>2</strong> pairs" in text
    assert "Add round 2 to the pools" in text
    assert not PoolRound.objects.exists()


def test_the_page_adds_a_round_as_a_job(collection):
    address = reverse("add-pool-round", args=[collection.slug])
    response = client_of("admin").post(address, PLAN)
    assert response.status_code == 302
    run(Job.objects.get(kind="top_up_pools").pk)
    pool_round = PoolRound.objects.get()
    assert (pool_round.number, pool_round.reason) == (2, "It came late.")
    assert pool_round.made_by.username == "admin"
    text = page(collection)
    assert "It came late." in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runs": []}, "This field is required."),
        ({"reason": ""}, "This field is required."),
        ({"choice": "sample", "bounds": "2", "rates": "1"}, "They must be equal."),
        ({"choice": "sample", "bounds": "x", "rates": "1"}, "bounds"),
    ],
)
def test_a_refused_plan_is_shown_with_its_fault(collection, changes, words):
    address = reverse("add-pool-round", args=[collection.slug])
    response = client_of("admin").post(address, PLAN | changes)
    assert response.status_code == 400
    assert words in response.content.decode()
    assert not Job.objects.filter(kind="top_up_pools").exists()


def test_the_files_of_a_round_have_the_digests_of_its_manifest(collection):
    from hashlib import sha256

    from tests.support.rounds import a_round

    a_round(collection, "late")
    client, place = client_of("admin"), [collection.slug, 2]
    manifest = client.get(reverse("pool-round-manifest", args=place)).json()
    lists = client.get(reverse("pool-round-run", args=[*place, "late"]))
    content = b"".join(lists.streaming_content)
    assert sha256(content).hexdigest() == manifest["runs"][0]["sha256"]
    assert manifest["pools"]["query_papers"]["q1"]["documents"] == ["d06", "d07", "d08"]
    assert client.get(reverse("pool-round-run", args=[*place, "other"])).status_code == 404


def test_the_page_opens_the_new_pairs_and_says_who_is_missing():
    opening = an_open_query(a_collection(), size=3)
    collection = opening.query.collection
    top_up(opening, 2)
    User.objects.filter(username="ann1").update(is_active=False)
    third = member(collection, Role.ANNOTATOR, "ann3")
    assert "<strong>2</strong> new pairs of 1 open query" in page(collection)
    address = reverse("open-pool-round", args=[collection.slug])
    client = client_of("admin")

    refused = client.post(address, {"old_percent": "10"})
    assert refused.status_code == 400
    assert "can no longer judge" in refused.content.decode()
    done = client.post(address, {"old_percent": "10", "substitutes": [third.pk]})

    assert done.status_code == 302
    assert Pair.objects.filter(candidate__round=2).count() == 2
    assert "new pairs of" not in page(collection)


def test_the_api_previews_adds_and_opens():
    opening = an_open_query(a_collection(), size=3)
    collection = opening.query.collection
    top_up(opening, 1)
    from tests.support.api_world import client_of as api_client

    client, base = api_client("admin"), f"/api/v1/collections/{collection.slug}/pool-rounds/"
    late(collection, "more", ["d000"], paper=opening.query.query_paper.name)

    (line,) = client.get(base).json()["results"]
    assert (line["number"], line["documents"]) == (2, 1)
    nothing = client.post(
        base, {"runs": ["more"], "reason": "Late.", "dry_run": True}, format="json"
    )
    assert nothing.json()["round"] == 3
    unknown = client.post(base, {"runs": ["none"], "reason": "Late."}, format="json")
    assert unknown.status_code == 400
    plan = client.post(f"{base}open/", {"dry_run": True}, format="json")
    assert plan.json() == {"pairs": {opening.query.name: 1}, "changes": []}
    assert not Pair.objects.filter(candidate__round=2).exists()
    client.post(f"{base}open/", {}, format="json")
    assert Pair.objects.filter(candidate__round=2).count() == 1
    again = client.post(f"{base}open/", {}, format="json")
    assert again.status_code == 409


def test_the_page_takes_the_same_queries_for_more_rounds_and_pools(
    collection, django_assert_max_num_queries
):
    from tests.support.rounds import a_round

    a_round(collection, "late")
    client, address = client_of("admin"), reverse("pool-rounds", args=[collection.slug])
    client.get(address)
    with django_assert_max_num_queries(40) as few:
        client.get(address)
    late(collection, "later", ["d09", "d13"])
    a_round(collection, "later")
    with django_assert_max_num_queries(len(few)):
        client.get(address)
