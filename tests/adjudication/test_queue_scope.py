"""The adjudicator's pages show a single query, with what is due in it and what is decided."""

import pytest

from accounts.models import Role
from adjudication import queue
from tests.support.factories import a_collection, a_query, an_open_query, annotators, member
from tests.support.sittings import judge_both, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def adjudicator():
    return member(a_collection(), Role.ADJUDICATOR, "adju")


@pytest.fixture
def collection(adjudicator):
    return adjudicator.memberships.get().collection


@pytest.fixture
def opening(collection):
    return an_open_query(collection)


@pytest.fixture
def decided_and_due(opening, adjudicator):
    """Two cases of the query. The second has the larger difference and is due."""
    decided, due = judge_both(opening, (0, 1), (0, 2))
    settle(decided, adjudicator, 1)
    return decided.pair, due.pair


@pytest.fixture
def other(collection, adjudicator):
    """Another query with a wider case and with a later decision."""
    opening = an_open_query(collection)
    decided, *_ = judge_both(opening, (0, 1), (0, 3), (0, 3))
    settle(decided, adjudicator, 0)
    return opening


@pytest.mark.usefixtures("other")
def test_a_query_is_counted_by_itself(opening, decided_and_due, adjudicator):
    assert queue.counts(opening.query, adjudicator) == {"due": 1, "decided": 1}


def test_the_queue_counts_each_query(collection, opening, decided_and_due, other, adjudicator):
    totals = queue.queries_with_cases(collection, adjudicator)
    found = queue.query_cases(totals, adjudicator)

    assert [(row.query, row.due, row.decided, row.widest) for row in found] == [
        (opening.query, 1, 1, 2),
        (other.query, 2, 1, 3),
    ]
    assert [row.total for row in found] == [2, 3]


@pytest.mark.usefixtures("other")
def test_the_next_case_is_due_and_of_the_query(opening, decided_and_due, adjudicator):
    assert queue.next_token(opening.query, adjudicator) == decided_and_due[1].token


@pytest.mark.usefixtures("other")
def test_undo_stays_in_the_query(opening, decided_and_due, adjudicator):
    decided, _ = decided_and_due

    assert queue.token_before(opening.query, adjudicator) == decided.token
    assert queue.token_before(opening.query, adjudicator, decided.token) is None


@pytest.mark.usefixtures("other")
def test_decided_cases_are_listed_for_the_query(opening, decided_and_due, adjudicator):
    line, *more = queue.decided_cases(opening.query, adjudicator)

    assert (line.token, line.final, line.is_own, more) == (decided_and_due[0].token, 1, True, [])


def test_the_last_decision_on_a_case_is_the_one_shown(opening, decided_and_due, adjudicator):
    decided, _ = decided_and_due
    settle(decided.slots.get(number=1), adjudicator, 3)
    line, *more = queue.decided_cases(opening.query, adjudicator)

    assert (line.final, line.overruled, more) == (3, True, [])
    assert queue.shown_case(opening.query, adjudicator, decided.token).decision.grade == 3


def test_a_case_is_found_by_its_token_in_its_query(decided_and_due, other, adjudicator):
    decided, due = decided_and_due
    query = queue.query_to_decide(due.query.collection, due.query.name)

    assert queue.shown_case(query, adjudicator, due.token).decision is None
    assert queue.shown_case(query, adjudicator, decided.token).decision.grade == 1
    elsewhere = queue.query_to_decide(due.query.collection, other.query.name)
    assert queue.shown_case(elsewhere, adjudicator, due.token) is None


def test_a_query_to_decide_is_open_and_of_the_collection(collection, opening, other):
    closed, elsewhere = a_query(collection), a_collection("elsewhere")

    for query in (opening.query, other.query):
        assert queue.query_to_decide(collection, query.name) == query
        assert queue.query_to_decide(elsewhere, query.name) is None
    assert queue.query_to_decide(collection, closed.name) is None
    assert queue.query_to_decide(collection, "no such query") is None


def test_a_pair_to_decide_is_of_the_query_and_not_of_its_judge(
    opening, decided_and_due, other, adjudicator
):
    _, due = decided_and_due

    assert queue.pair_to_decide(opening.query, adjudicator, due.token) == due
    assert queue.pair_to_decide(other.query, adjudicator, due.token) is None
    for judge in annotators(opening.query.collection):
        assert queue.pair_to_decide(opening.query, judge, due.token) is None


def test_slots_in_one_collection_are_not_slots_in_another(collection, opening, adjudicator):
    first, _ = annotators(collection)

    assert queue.holds_slots(collection, first)
    assert not queue.holds_slots(a_collection("elsewhere"), first)
    assert not queue.holds_slots(collection, adjudicator)


def test_what_a_page_showed_counts_until_a_judgment_changes(opening, decided_and_due):
    _, due = decided_and_due
    first, second = (slot.judgment_id for slot in due.slots.order_by("number"))
    seen = queue.judgments_digest(due.pk, first, second)

    assert queue.judgments_of_digest(due, seen) == (first, second)
    assert queue.judgments_of_digest(due, queue.judgments_digest(due.pk, second, first)) == (0, 0)
    assert queue.judgments_of_digest(due, "") == (0, 0)
