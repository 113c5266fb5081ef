"""The annotator's lists: my queries, and what I said on one."""

import pytest
from django.urls import reverse

from accounts.models import Role
from annotation.services import Answer, open_query
from corpus.services import create_query
from tests.support.factories import (
    DocumentFactory,
    a_pool,
    an_open_query,
    annotators,
    member,
)
from tests.support.sittings import judge, judge_at_once, pair_url, query_url, slots_of
from tests.support.visits import csv_rows, markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def annotator(client, collection):
    user = collection.memberships.get(user__username="ann1").user
    client.force_login(user)
    return user


def judge_page(client, collection) -> str:
    return client.get(reverse("judge", args=[collection.slug])).content.decode()


def test_a_query_shows_its_progress_and_the_minutes_left_by_own_pace(client, collection, annotator):
    opening = an_open_query(collection, size=9)
    for slot in slots_of(opening, "ann1")[:3]:
        judge(slot, 1, seconds=20.0)

    page = judge_page(client, collection)

    assert "3 of 9 pairs" in page
    assert "about 2 min left" in page
    assert "Continue judging" in page


def test_without_a_measured_pace_the_planned_one_counts(client, annotator, collection):
    collection.seconds_per_judgment = 30
    collection.save()
    an_open_query(collection, size=4)

    assert "about 2 min left" in judge_page(client, collection)


def test_the_time_left_is_the_same_on_every_page(client, annotator, collection):
    for opening in (an_open_query(collection, size=3), an_open_query(collection, size=3)):
        judge(slots_of(opening, "ann1")[0], 1, seconds=25.0)
    overview = client.get(reverse("collection", args=[collection.slug])).content.decode()
    client.force_login(collection.memberships.get(role=Role.ADMIN).user)
    board = client.get(reverse("board", args=[collection.slug])).content.decode()
    client.force_login(annotator)

    assert "about 2 min left" in markup(overview)
    assert "about 2 min at your pace" in markup(judge_page(client, collection))
    assert "2 min" in markup(board)


def test_continue_judging_opens_the_next_pair(client, annotator, collection):
    an_open_query(collection)
    opening = an_open_query(collection)
    judge(slots_of(opening, "ann1")[0], 1)
    page = reverse("judge", args=[collection.slug])
    assert f"{page}?next" in client.get(reverse("collection", args=[collection.slug])).text

    answer = client.get(page, {"next": ""}, follow=True)

    assert f'action="{pair_url(slots_of(opening, "ann1")[1])}"' in answer.text


def test_without_a_pair_left_continuing_shows_the_list(client, annotator, collection):
    assert client.get(reverse("judge", args=[collection.slug]), {"next": ""}).status_code == 200


def test_after_the_last_pair_enter_opens_the_next_query(client, annotator, collection):
    opening = an_open_query(collection, size=1)
    an_open_query(collection)
    judge(slots_of(opening, "ann1")[0], 1)

    page = markup(client.get(query_url(opening, "judge-mine")).content.decode())

    assert '<a autofocus class="button primary"' in page


def test_the_query_judged_last_comes_first(client, annotator, collection):
    openings = [an_open_query(collection) for _ in range(4)]
    for opening in openings[1:3]:
        judge(slots_of(opening, "ann1")[0], 1)

    page = judge_page(client, collection)

    places = [page.index(query_url(opening)) for opening in (openings[2], openings[1])]
    others = [page.index(query_url(opening)) for opening in (openings[0], openings[3])]
    assert places == sorted(places)
    assert max(places) < min(others)


def test_a_finished_query_is_listed_below_with_a_way_to_look_through(client, annotator, collection):
    opening = an_open_query(collection, size=1)
    judge(slots_of(opening, "ann1")[0], Answer(reason="garbled"))

    page = judge_page(client, collection)

    assert "All done. You have judged every pair." in page
    assert query_url(opening, "judge-mine") in page


def test_with_nothing_open_the_page_says_so(client, annotator, collection):
    assert "Nothing to judge yet" in judge_page(client, collection)


def test_the_queue_takes_the_same_few_queries_however_much_is_open(
    client, annotator, collection, django_assert_max_num_queries
):
    for _ in range(6):
        judge(slots_of(an_open_query(collection), "ann1")[0], 2, seconds=9)

    with django_assert_max_num_queries(10):
        judge_page(client, collection)


@pytest.mark.parametrize("view", ["judge-query", "judge-mine", "judge-ahead", "judge-undo"])
def test_an_annotator_without_slots_in_a_query_does_not_find_it(client, collection, view):
    opening = an_open_query(collection)
    client.force_login(member(collection, Role.ANNOTATOR, "ann3"))

    assert client.get(query_url(opening, view)).status_code == 404


def test_the_end_of_a_query_says_what_was_done_and_what_comes_next(client, annotator, collection):
    done, following = an_open_query(collection, size=4), an_open_query(collection)
    for slot, answer in zip(
        slots_of(done, "ann1"), [3, 0, 0, Answer(reason="other", note="It is a list")], strict=True
    ):
        judge(slot, answer, seconds=60.0)

    response = client.get(query_url(done), follow=True)
    page = markup(response.text)

    assert response.redirect_chain[-1][0] == query_url(done, "judge-mine")
    assert "All 4 pairs are judged" in page
    assert "<dd>4 <small>min</small></dd>" in page
    assert "<dt>Cannot judge</dt><dd>1</dd>" in page
    assert query_url(following) in page


def test_own_judgments_are_listed_with_a_link_to_change_them(client, annotator, collection):
    opening = an_open_query(collection)
    first, second, third = slots_of(opening, "ann1")
    judge(first, Answer(grade=2, note="Same trick"))
    judge(second, Answer(reason="language"))
    judge(slots_of(opening, "ann2")[0], Answer(grade=1, note="Of the other judge"))

    page = client.get(query_url(opening, "judge-mine")).content.decode()

    assert pair_url(first) in page
    assert "Same trick" in page
    assert "It is in a language I do not read" in page
    assert pair_url(third) not in page
    assert "Of the other judge" not in page


def test_own_judgments_are_listed_by_fifty_and_are_a_file_without_ids(
    client, annotator, collection
):
    opening = an_open_query(collection, size=52)
    judge_at_once((slot, 1) for slot in slots_of(opening, "ann1"))
    judge(slots_of(opening, "ann2")[0], Answer(grade=2, note="Of the other judge"))
    address = query_url(opening, "judge-mine")

    page = markup(client.get(address).text)
    rows = csv_rows(client.get(f"{address}?format=csv"))

    assert "1–50 of 52, latest first" in page
    assert page.count("Change<span") == 50
    assert len(rows) == 52
    assert {tuple(row)[1:] for row in rows} == {("grade", "reason", "note")}
    assert {(row["grade"], row["note"]) for row in rows} == {("1", "")}


def test_a_docno_with_a_slash_has_pages_too(client, annotator, collection):
    DocumentFactory(collection=collection, docno="10.1145/33.44")
    query = create_query(collection=collection, docno="10.1145/33.44", facet_key="method")
    a_pool(query.query_paper, [DocumentFactory(collection=collection)])
    opening = open_query(query=query, annotators=annotators(collection), opened_by=None)

    assert client.get(query_url(opening), follow=True).status_code == 200
