"""Two real transactions on one pair: the second waits for the first, and then knows what it did."""

from __future__ import annotations

import pytest

from adjudication.decisions import current_decision, reopen_pair
from adjudication.models import Decision
from annotation.models import Pair, PairState
from tests.builders import decide, judge
from tests.transactions import REAL_TRANSACTIONS, meet
from web.errors import Conflict

pytestmark = REAL_TRANSACTIONS


@pytest.fixture
def pair(pairs):
    return pairs["d03"]


def fresh(pair: Pair) -> Pair:
    """An instance for the other thread."""
    return Pair.objects.select_related("query__collection", "document").get(pk=pair.pk)


def settled(pair: Pair) -> tuple[str, int | None]:
    pair.refresh_from_db()
    return pair.state, pair.final


def test_two_adjudicators_decide_one_case_once(pair, people, eve):
    shown = set(pair.slots.values_list("judgment__key", flat=True))
    other = fresh(pair)
    error = meet(lambda: decide(pair, people.ada, 0), lambda: decide(other, eve, 3, judgments=shown, replaces=None))
    assert isinstance(error, Conflict)
    assert Decision.objects.count() == 1
    assert settled(pair) == (PairState.DECIDED, 0)


def test_a_judgment_that_is_revised_first_is_not_decided_on(pair, people):
    shown, other = set(pair.slots.values_list("judgment__key", flat=True)), fresh(pair)
    error = meet(lambda: judge(pair, people.bob, 0), lambda: decide(other, people.ada, 3, judgments=shown))
    assert error is not None  # it is no case any more
    assert settled(pair) == (PairState.AGREED, 0)
    assert not Decision.objects.exists()


def test_a_decision_stands_no_more_when_a_judge_revises_after_it(pair, people):
    other = fresh(pair)
    assert meet(lambda: decide(pair, people.ada, 3), lambda: judge(other, people.bob, 2)) is None
    assert settled(pair) == (PairState.CASE, None)
    assert current_decision(pair) is None


def test_a_pair_is_reopened_after_the_decision_it_waited_for(pair, people):
    """Neither waits for the other: re-opening locks the collection first, which the decision refers to."""
    decide(pair, people.ada, 0)
    other = fresh(pair)
    error = meet(
        lambda: decide(pair, people.ada, 3), lambda: reopen_pair(admin=people.admin, pair=other, reason="New rules.")
    )
    assert error is None
    assert settled(pair) == (PairState.CASE, None)


def test_a_page_from_before_a_reopening_decides_nothing(pair, people):
    first, other = decide(pair, people.ada, 0), fresh(pair)
    error = meet(
        lambda: reopen_pair(admin=people.admin, pair=pair, reason="New rules."),
        lambda: decide(other, people.ada, 3, replaces=first.key),
    )
    assert isinstance(error, Conflict)
    assert settled(pair) == (PairState.CASE, None)
