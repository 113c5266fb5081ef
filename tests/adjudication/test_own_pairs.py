"""A judge who adjudicates never reads or decides a case of his or her own pairs."""

import uuid
from itertools import combinations_with_replacement

import pytest
from django.urls import reverse

from accounts.models import Role
from adjudication import queue
from adjudication.errors import AdjudicationError, JudgedByYou
from adjudication.models import Case, Decision
from annotation.services import reassign_seat
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import judge, judge_both, pair_url, query_url, settle, slots_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def opening():
    return an_open_query(a_collection(), size=4)


@pytest.fixture
def own(opening):
    """ann1's slot in a case. Seat 1 is ann3's from the next pair on."""
    slot, *_ = judge_both(opening, (0, 3))
    newcomer = member(opening.query.collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=opening, number=1, annotator=newcomer)
    return slot


@pytest.fixture
def others(opening, own):
    """ann3's slots in two cases of the same query. The second has the larger difference."""
    slots = slots_of(opening, "ann3")[:2]
    for slot, grade in zip(slots, (2, 3), strict=True):
        judge(slot, 0)
        judge(slot.pair.slots.get(number=2), grade)
    return slots


@pytest.fixture
def judge_in_it(client, opening):
    """ann1, who is also an adjudicator."""
    user = member(opening.query.collection, Role.ADJUDICATOR, "ann1")
    client.force_login(user)
    return user


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


def test_a_judge_cannot_settle_a_case_of_his_or_her_own(own, judge_in_it):
    with pytest.raises(JudgedByYou, match="You judged this pair"):
        settle(own, judge_in_it, 1)
    assert not Decision.objects.exists()


def test_the_other_judge_cannot_settle_it_either(own, opening):
    second = member(opening.query.collection, Role.ADJUDICATOR, "ann2")

    with pytest.raises(JudgedByYou):
        settle(own, second, 1)


def test_a_judge_cannot_settle_it_with_the_key_of_a_decision(own, judge_in_it, adjudicator):
    key = uuid.uuid4()
    settle(own, adjudicator, 1, key=key)

    with pytest.raises(AdjudicationError):
        settle(own, judge_in_it, 1, key=key)
    assert Decision.objects.count() == 1


def test_a_judge_decides_the_cases_of_others_in_the_same_query(others, judge_in_it):
    assert settle(others[0], judge_in_it, 1).adjudicator == judge_in_it


def listed(collection, user):
    return queue.query_cases(queue.queries_with_cases(collection, user), user)


def test_the_counts_leave_own_cases_out(opening, own, others, judge_in_it, adjudicator):
    settle(own, adjudicator, 1)
    settle(others[0], adjudicator, 1)
    row, *more = listed(opening.query.collection, judge_in_it)

    assert (row.due, row.decided, row.widest, more) == (1, 1, 3, [])
    assert queue.counts(opening.query, judge_in_it) == {"due": 1, "decided": 1}
    assert queue.counts(opening.query, adjudicator) == {"due": 1, "decided": 2}


def test_the_next_case_is_never_an_own_one(client, opening, own, others, judge_in_it):
    for slot in reversed(others):
        assert client.get(query_url(opening, "adjudicate-query")).url == pair_url(slot, "case")
        settle(slot, judge_in_it, 1)

    assert queue.next_token(opening.query, judge_in_it) is None


def test_an_own_case_is_not_shown(client, own, others, judge_in_it, adjudicator):
    assert client.get(pair_url(others[0], "case")).status_code == 200
    assert client.get(pair_url(own, "case")).status_code == 404
    settle(own, adjudicator, 1)
    assert client.get(pair_url(own, "case")).status_code == 404


def test_the_list_of_decided_cases_leaves_own_ones_out(
    client, opening, own, others, judge_in_it, adjudicator
):
    settle(own, adjudicator, 1)
    settle(others[0], adjudicator, 1)
    decided = query_url(opening, "adjudicate-decided")

    page = client.get(decided).content.decode()
    assert others[0].pair.candidate.document.title in page
    assert own.pair.candidate.document.title not in page
    client.force_login(adjudicator)
    assert own.pair.candidate.document.title in client.get(decided).content.decode()


def test_the_queue_of_a_judge_has_only_the_queries_of_others(client, own, judge_in_it):
    collection = own.pair.query.collection
    page = client.get(reverse("adjudicate", args=[collection.slug])).content.decode()

    assert own.pair.query.name not in page
    assert queue.queries_with_cases(collection, judge_in_it) == []
    assert queue.holds_slots(collection, judge_in_it)


def test_cases_of_another_collection_are_not_in_the_queue(opening, own, adjudicator):
    elsewhere = a_collection("elsewhere")
    foreign = an_open_query(elsewhere)
    judge_both(foreign, (0, 3))

    assert [row.query for row in listed(elsewhere, adjudicator)] == [foreign.query]
    assert not queue.holds_slots(elsewhere, adjudicator)
    assert [row.query for row in listed(opening.query.collection, adjudicator)] == [opening.query]


def test_a_slice_of_the_due_cases_reads_no_other_case(
    opening, others, judge_in_it, adjudicator, django_assert_num_queries
):
    wide = an_open_query(opening.query.collection, size=3)
    judge_both(wide, (0, 3), (0, 1), (None, 0))
    for person, due in ((adjudicator, 6), (judge_in_it, 2)):
        in_order = Case.objects.due().for_adjudicator(person)
        tokens = list(in_order.order_by("-difference", "query__name", "token").values_list("token"))
        assert len(tokens) == due
        cases = queue.due_in_order(opening.query.collection, person)
        for start, stop in combinations_with_replacement(range(due + 2), 2):
            with django_assert_num_queries(1 if start < min(stop, due) else 0):
                rows = cases[start:stop]
            assert [(case.token,) for case in rows] == tokens[start:stop]
