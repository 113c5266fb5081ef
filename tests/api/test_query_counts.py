"""A list costs the same number of database queries however long it is."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.services import Answer
from tests.support.api_world import client_of
from tests.support.factories import a_collection, a_query, an_open_query, annotators
from tests.support.sittings import judge

# Who asks, which collection, how many rows, the rows, and what comes with them.
COUNTS = {
    ("admin", "documents"): 4,
    ("admin", "queries"): 4,
    ("admin", "runs"): 4,
    ("admin", "pools"): 4,
    ("admin", "pool-builds"): 4,
    ("admin", "openings"): 5,
    ("admin", "releases"): 4,
    ("admin", "jobs"): 5,
    ("admin", "people"): 5,
    ("ann1", "judging"): 5,
    ("ann1", "judgments"): 5,
}


def more_of_everything(world) -> None:
    collection = world.collection
    for number in range(3):
        an_open_query(collection)
        a_query(collection)
        collection.runs.create(name=f"run-{number}", kind="file", sha256="1" * 64)
        collection.jobs.create(kind="build_pools", key=f"{number}")
        collection.releases.create(version=f"2.{number}", sha256="1" * 64, size=1, manifest={})
    for slot in annotators(collection)[0].slots.filter(judgment=None):
        judge(slot, Answer(grade=1))


def test_a_list_costs_a_fixed_number_of_queries(world):
    more_of_everything(world)

    wrong = []
    for (person, listed), expected in COUNTS.items():
        client = client_of(person)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/api/v1/collections/small/{listed}/").json()
        if answer["count"] < 3 or len(queries) != expected:
            wrong.append((person, listed, answer["count"], len(queries)))

    assert wrong == []


@pytest.mark.parametrize(("listed", "count"), [("collections/", 5), ("", 5)])
def test_the_lists_of_collections_do_too(listed, count, world):
    for number in range(3):
        a_collection(f"more-{number}")
    client = client_of("ann1")

    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/api/v1/{listed}").json()

    assert answer["count"] == 4
    assert len(queries) == count


def test_a_pool_does_too(world):
    client = client_of("admin")

    with CaptureQueriesContext(connection) as queries:
        client.get(f"/api/v1/collections/small/pools/{world.paper}/")

    assert len(queries) == 6
