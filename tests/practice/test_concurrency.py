"""Many browsers at once in a practice set."""

import uuid

import pytest

from practice.models import PracticeJudgment, PracticeSet
from practice.presentations import presentation_of_pair
from practice.services import PracticeClosed, close_set, remove_set
from tests.support.factories import a_collection, annotators, member
from tests.support.practice_scenes import a_pilot, practise
from tests.support.running import at_once

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

THREADS = 8


@pytest.fixture
def pilot() -> PracticeSet:
    collection = a_collection()
    people = [member(collection, "annotator", f"person{number}") for number in range(4)]
    return a_pilot(collection, people=people)


def people_of(pilot: PracticeSet):
    return [each.annotator for each in pilot.members.select_related("annotator")]


def test_answers_to_one_pair_from_many_windows_leave_one_that_counts(pilot):
    person, pair = people_of(pilot)[0], pilot.pairs.first()

    outcomes = at_once(
        [lambda grade=i % 4: practise(pair, person, grade, supersedes=None) for i in range(THREADS)]
    )

    saved = [each for each in outcomes if isinstance(each, PracticeJudgment)]
    assert len(saved) == 1
    assert list(PracticeJudgment.objects.all()) == saved


def test_the_same_submission_from_many_windows_counts_once_and_all_learn_it(pilot):
    person, pair, key = people_of(pilot)[0], pilot.pairs.first(), uuid.uuid4()

    outcomes = at_once(
        [lambda: practise(pair, person, 2, key=key, supersedes=None) for _ in range(THREADS)]
    )

    assert {outcome.pk for outcome in outcomes} == {PracticeJudgment.objects.get().pk}


def test_no_answer_is_saved_after_a_close(pilot):
    pairs, people = list(pilot.pairs.all()), people_of(pilot)

    def answer(person, pair):
        return lambda: practise(pair, person, 1, supersedes=None)

    answers = [answer(person, pair) for person in people for pair in pairs]
    outcomes = at_once([*answers, lambda: close_set(practice_set=pilot)])

    closed_at = PracticeSet.objects.get().closed_at
    saved = [each for each in outcomes if isinstance(each, PracticeJudgment)]
    refused = [each for each in outcomes if isinstance(each, PracticeClosed)]
    assert len(saved) + len(refused) == len(answers)
    assert PracticeJudgment.objects.count() == len(saved)
    assert all(each.created_at <= closed_at for each in saved)


def test_a_round_is_removed_or_judged_but_never_both(pilot):
    person, pair = people_of(pilot)[0], pilot.pairs.first()

    digest = presentation_of_pair(pair)[1].digest

    at_once(
        [
            lambda: practise(pair, person, 1, presentation_digest=digest, supersedes=None),
            lambda: remove_set(practice_set=pilot),
        ]
    )

    assert PracticeJudgment.objects.count() == PracticeSet.objects.count()


def test_two_admins_start_two_rounds_with_two_numbers():
    collection = a_collection()
    people = annotators(collection)
    first = a_pilot(collection)
    query = first.pairs.first().query.name

    outcomes = at_once(
        [lambda: a_pilot(collection, people=people, named=[query]) for _ in range(4)]
    )

    assert sorted(each.number for each in outcomes) == [2, 3, 4, 5]
