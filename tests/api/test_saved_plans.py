"""Saved plans of pools through the API."""

from __future__ import annotations

import pytest

from pooling.plan_form import PoolPlanForm

WHERE = "/api/v1/collections/small/"
BODY = {"name": "Shallow", "n": 3, "runs": ["secret-retriever"], "depth": 7, "seed": "s"}


def saved(admin, **changes):
    return admin.post(f"{WHERE}saved-plans/", BODY | changes, format="json")


def test_a_plan_is_saved_and_opens_on_the_page_as_it_was_sent(world, admin):
    answer = saved(admin, excluded=["cited"], only=["not_later"])

    assert answer.status_code == 201, answer.content
    plan = world.collection.saved_plans.get(name="Shallow")
    form = PoolPlanForm.of_texts(plan.fields, world.collection).as_sent()
    assert form.is_valid(), form.errors
    shown = form.plan()
    assert (shown.strategy, shown.values["n"], shown.depth, shown.seed) == (
        "interleaved",
        3,
        7,
        "s",
    )
    assert (shown.excluded, shown.forced, shown.only) == (("cited",), (), ("not_later",))
    assert shown.runs == ("secret-retriever",)
    assert plan.saved_by.username == "admin"


def test_the_plan_of_the_answer_can_be_sent_to_the_pools(world, admin):
    saved(admin, query_papers=[])
    pk = world.collection.saved_plans.get(name="Shallow").pk

    plan = admin.get(f"{WHERE}saved-plans/{pk}/").json()["plan"]

    world.collection.jobs.all().delete()
    built = admin.post(f"{WHERE}pools/", plan, format="json")
    assert built.status_code == 202, built.content
    assert built.json()["kind"] == "build_pools"


def test_a_parameter_and_a_list_of_query_papers_are_saved(world, admin):
    body = {"name": "Listed", "strategy": "depth_k", "parameters": {"k": 4}, "forced": []}
    answer = admin.post(f"{WHERE}saved-plans/", body | {"without_pool": False}, format="json")

    assert answer.status_code == 201, answer.content
    assert answer.json()["plan"]["parameters"] == {"k": 4}
    assert answer.json()["plan"]["forced"] == []


def test_plans_are_listed_by_name(world, admin):
    saved(admin)

    rows = admin.get(f"{WHERE}saved-plans/").json()["results"]

    assert [row["name"] for row in rows] == ["Deep pools", "Shallow"]
    assert rows[1]["saved_by"] == "admin"


def test_another_plan_of_the_name_is_replaced_only_on_request(world, admin):
    saved(admin)

    refused = saved(admin, n=5)
    replaced = saved(admin, n=5, replace=True)

    assert refused.json()["code"] == "plan_name_taken"
    assert replaced.status_code == 201
    assert replaced.json()["plan"]["parameters"] == {"n": 5}
    assert world.collection.saved_plans.filter(name="Shallow").count() == 1


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"forced": ["nothing"]}, "nothing is not an imported run"),
        ({"runs": ["crystal-ball"]}, "crystal-ball"),
        ({"query_papers": ["nothing"]}, "nothing is not a query paper"),
        ({"n": None, "strategy": "depth_k", "parameters": {"kk": 1}}, "kk"),
    ],
)
def test_a_plan_that_cannot_be_built_is_not_saved(changes, wrong, world, admin):
    body = {key: value for key, value in (BODY | changes).items() if value is not None}

    refused = admin.post(f"{WHERE}saved-plans/", body, format="json")

    assert refused.status_code == 400
    assert wrong in refused.content.decode()
    assert not world.collection.saved_plans.filter(name="Shallow").exists()


def test_a_plan_that_no_longer_fits_the_collection_has_a_name_and_no_keys(world, admin):
    fields = {"strategy": ["interleaved"], "scope": ["some"], "papers": ["gone"]}
    plan = world.collection.saved_plans.create(name="Old", fields=fields)

    answer = admin.get(f"{WHERE}saved-plans/{plan.pk}/").json()

    assert (answer["name"], answer["plan"]) == ("Old", None)


def test_a_plan_is_deleted_and_a_dry_run_deletes_nothing(world, admin):
    address = f"{WHERE}saved-plans/{world.collection.saved_plans.get().pk}/"

    tried = admin.delete(f"{address}?dry_run=true")
    assert (tried.status_code, tried.json()["name"]) == (200, "Deep pools")
    assert world.collection.saved_plans.exists()

    assert admin.delete(address).status_code == 204
    assert not world.collection.saved_plans.exists()
    assert admin.get(address).status_code == 404
