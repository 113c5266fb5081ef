"""The pages of an owner-annotator: set up, people, settings, overview."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Collection, Role, User
from annotation.models import Opening, Slot
from annotation.services import open_query
from pooling.services import PoolPlan
from retrieval.services import usual_retrievers
from tests.support.factories import a_collection, a_query, member
from tests.support.sittings import judge
from tests.support.visits import csv_rows, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection() -> Collection:
    collection = a_collection()
    member(collection, Role.OWNER_ANNOTATOR, "owner")
    return collection


@pytest.fixture
def owner(collection) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="owner"))
    return client


def at(name: str, collection: Collection, *args) -> str:
    return reverse(name, args=[collection.slug, *args])


def test_the_list_shows_the_size_of_a_pool_and_nothing_of_it(owner, collection):
    query = a_query(collection, size=3)
    title = query.query_paper.pool.candidates.first().document.title

    page = text_of(owner.get(at("set-up", collection)))

    assert f"{query.name}" in page
    assert '<td class="number wide-only"> 3 </td>' in page
    assert "ready" in page
    assert title not in page
    assert "bm25" not in page


def test_the_list_costs_the_same_for_one_query_and_for_many(
    owner, collection, django_assert_max_num_queries
):
    for _ in range(4):
        a_query(collection, size=1)

    with django_assert_max_num_queries(24) as captured:
        owner.get(at("set-up", collection))
    a_query(collection, size=1)
    with django_assert_max_num_queries(len(captured)):
        owner.get(at("set-up", collection))


def test_pools_are_requested_by_the_usual_plan(owner, collection):
    a_query(collection)

    answer = owner.post(at("build-usual-pools", collection), {"size": "7"})

    job = collection.jobs.get()
    plan = PoolPlan.of(job.parameters)
    assert answer["Location"] == at("set-up", collection)
    assert (job.kind, job.requested_by.username) == ("build_pools", "owner")
    assert dict(plan.parameters) == {"n": 7}
    assert set(plan.runs) == set(usual_retrievers(collection))


def test_a_size_that_is_no_number_is_refused(owner, collection):
    a_query(collection)

    answer = owner.post(at("build-usual-pools", collection), {"size": "many"})

    assert answer.status_code == 422
    assert not collection.jobs.exists()


def test_queries_are_opened_after_a_question(owner, collection):
    query = a_query(collection)
    people = User.objects.filter(username__in=["owner", "ann1"])
    form = {"queries": [query.name], "annotators": [person.pk for person in people]}

    question = owner.post(at("set-up", collection), form)
    plan = question.context["kept"][-1][1]
    owner.post(at("set-up", collection), form | {"plan": plan})

    assert "Open 1 query for judging?" in question.text
    seats = Opening.objects.get(query=query).seats.values_list("annotator__username", flat=True)
    assert set(seats) == {"owner", "ann1"}


def test_the_question_tells_nobody_s_progress(owner, collection):
    people = tuple(User.objects.filter(username__in=["ann1", "ann2"]).order_by("username"))
    opening = open_query(query=a_query(collection), annotators=people, opened_by=None)
    query = a_query(collection)
    form = {"queries": [query.name], "annotators": [person.pk for person in people]}
    before = main_part(owner.post(at("set-up", collection), form))
    judge(Slot.objects.filter(pair__query=opening.query).first(), 1)

    assert main_part(owner.post(at("set-up", collection), form)) == before


def main_part(page) -> str:
    """Without the token against forged requests."""
    main = text_of(page).partition("<main")[2]
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", main)


def test_pages_of_admins_lead_to_those_of_the_owner(owner, collection):
    places = {
        "queries": "set-up",
        "pools": "set-up",
        "board": "set-up",
        "documents": "document-imports",
    }

    for name, place in places.items():
        assert owner.get(at(name, collection))["Location"] == at(place, collection)


def test_people_are_listed_without_their_progress(owner, collection):
    people = tuple(User.objects.filter(username__in=["ann1", "ann2"]).order_by("username"))
    open_query(query=a_query(collection), annotators=people, opened_by=None)

    page = owner.get(at("people", collection))
    rows = csv_rows(owner.get(at("people", collection), {"format": "csv"}))

    assert "of 3 pairs" not in text_of(page)
    assert f'href="{at("person", collection, people[0].pk)}"' not in page.text
    assert all("done" not in row and "assigned" not in row for row in rows)


def test_a_role_is_given_and_removed_on_the_page_of_all_people(owner, collection):
    membership = collection.memberships.get(user__username="ann2")

    removed = owner.post(at("remove-role", collection, membership.pk))
    created = owner.post(
        at("add-person", collection), {"create-username": "new", "create-role": "annotator"}
    )

    assert removed["Location"] == at("people", collection)
    assert created.status_code == 200
    assert collection.memberships.filter(user__username="new@small").exists()


def test_the_settings_do_not_tell_the_seed_and_keep_it(owner, collection):
    page = owner.get(at("collection-settings", collection))
    fields = {"name": "Renamed", "seconds_per_judgment": "15", "seed": "forged"}

    owner.post(at("collection-settings", collection), fields)

    assert 'name="seed"' not in page.text
    assert "Archive the collection" not in page.text
    collection.refresh_from_db()
    assert (collection.name, collection.seed) == ("Renamed", "seed")


def test_the_overview_leads_through_the_first_steps_without_runs(owner, collection):
    page = owner.get(at("collection", collection))

    assert "First steps" in page.text
    assert "Add runs" not in page.text
    assert at("plan-pools", collection) not in page.text


def test_the_overview_says_what_keeps_the_owner_from_ending(owner, collection):
    people = tuple(User.objects.filter(username__in=["owner", "ann1"]).order_by("username"))
    opening = open_query(query=a_query(collection, size=2), annotators=people, opened_by=None)

    before = text_of(owner.get(at("collection", collection)))
    for slot in Slot.objects.filter(annotator__username="owner"):
        judge(slot, 1)
    waiting = text_of(owner.get(at("collection", collection)))
    for slot in Slot.objects.filter(annotator__username="ann1"):
        judge(slot, 1)
    done = owner.get(at("collection", collection))

    assert f"You have 2 pairs to judge: {opening.query.name} (2)." in before
    assert "wait for others" in waiting
    assert at("end-judging", collection) in done.text


def test_the_button_makes_the_owner_an_admin(owner, collection):
    owner.post(at("end-judging", collection))

    assert collection.memberships.get(user__username="owner").role == Role.ADMIN
    assert owner.get(at("pools", collection)).status_code == 200


def test_the_button_is_refused_with_pairs_to_judge(owner, collection):
    people = tuple(User.objects.filter(username__in=["owner", "ann1"]).order_by("username"))
    open_query(query=a_query(collection, size=2), annotators=people, opened_by=None)

    page = owner.post(at("end-judging", collection), follow=True)

    assert "Your role has not changed. You have 2 pairs to judge" in text_of(page)
    assert collection.memberships.get(user__username="owner").role == Role.OWNER_ANNOTATOR
