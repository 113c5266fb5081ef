"""Many browsers at once: no third judgment, no lost one, none counted twice.

Run on PostgreSQL by setting DATABASE_URL; the same holds on the embedded SQLite.
"""

import uuid

import pytest

from accounts.models import Role
from adjudication.errors import AlreadyDecided
from adjudication.models import Case, Decision
from adjudication.services import Ruling, decide
from annotation.models import Judgment, Slot
from annotation.services import Answer, KeyReused, RevisedMeanwhile, submit_judgment
from tests.support.factories import a_collection, an_open_query, member
from tests.support.running import at_once
from tests.support.sittings import digest_of, judge_both, slots_of, standing_key

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

THREADS = 8


@pytest.fixture
def opening():
    return an_open_query(a_collection(), size=6)


def submission(slot, grade, key=None):
    given = {
        "slot_id": slot.pk,
        "annotator": slot.annotator,
        "answer": Answer(grade=grade),
        "presentation_digest": digest_of(slot),
        "key": key or uuid.uuid4(),
        "supersedes": None,
    }
    return lambda: submit_judgment(**given)


def test_two_annotators_in_eight_threads_leave_exactly_one_judgment_in_each_slot(opening):
    slots = slots_of(opening, "ann1") + slots_of(opening, "ann2")
    lists = [[submission(slot, thread % 4) for slot in slots] for thread in range(THREADS)]

    def hammer(submissions):
        outcomes = []
        for submit in submissions:
            try:
                outcomes.append(submit())
            except RevisedMeanwhile as error:
                outcomes.append(error)
        return outcomes

    outcomes = at_once([lambda mine=mine: hammer(mine) for mine in lists])

    assert all(isinstance(outcome, list) for outcome in outcomes), outcomes
    won = [outcome for mine in outcomes for outcome in mine if isinstance(outcome, Judgment)]
    assert len(won) == len(slots) == Judgment.objects.count() == 12
    for slot in Slot.objects.select_related("judgment"):
        assert [judgment.sequence for judgment in slot.judgments.all()] == [1]
        assert slot.judgment in won
        assert slot.judgment.annotator_id == slot.annotator_id


def test_the_same_submission_from_eight_threads_counts_once_and_all_learn_it(opening):
    slot, key = slots_of(opening, "ann1")[0], uuid.uuid4()

    outcomes = at_once([submission(slot, 2, key) for _ in range(THREADS)])

    assert {outcome.pk for outcome in outcomes} == {Judgment.objects.get().pk}


def test_one_key_with_different_answers_saves_one_and_refuses_the_others(opening):
    slot, key = slots_of(opening, "ann1")[0], uuid.uuid4()

    outcomes = at_once([submission(slot, thread % 4, key) for thread in range(THREADS)])

    judgment = Judgment.objects.get()
    assert sum(outcome == judgment for outcome in outcomes) == THREADS // 4
    assert sum(isinstance(outcome, KeyReused) for outcome in outcomes) == THREADS * 3 // 4


def test_one_key_sent_to_two_slots_counts_in_one(opening):
    first, second, *_ = slots_of(opening, "ann1")
    key = uuid.uuid4()

    outcomes = at_once([submission(slot, 1, key) for slot in (first, second) * 4])

    assert Judgment.objects.count() == 1
    assert sum(isinstance(outcome, KeyReused) for outcome in outcomes) == THREADS // 2


def test_two_adjudicators_in_eight_threads_leave_one_decision_and_the_other_learns_it(opening):
    collection = opening.query.collection
    people = [member(collection, Role.ADJUDICATOR, name) for name in ("adju", "adju2")]
    slot, *_ = judge_both(opening, (0, 3))
    case = Case.objects.cases().get(pk=slot.pair_id)
    keys = [uuid.uuid4(), uuid.uuid4()]

    def ruling(who):
        return lambda: decide(
            pair_id=case.pk,
            adjudicator=people[who],
            ruling=Ruling(grade=who + 1),
            judgment_ids=(case.first, case.second),
            key=keys[who],
        )

    outcomes = at_once([ruling(thread % 2) for thread in range(THREADS)])

    decision = Decision.objects.get()
    assert sum(outcome == decision for outcome in outcomes) == THREADS // 2
    assert sum(isinstance(outcome, AlreadyDecided) for outcome in outcomes) == THREADS // 2


def test_a_decision_never_lands_on_a_judgment_that_was_revised_meanwhile(opening):
    adjudicator = member(opening.query.collection, Role.ADJUDICATOR, "adju")
    for slot in judge_both(opening, *[(0, 3)] * 6):
        case = Case.objects.cases().get(pk=slot.pair_id)
        revise = {"slot_id": slot.pk, "annotator": slot.annotator}
        revise["supersedes"] = standing_key(slot)
        at_once(
            [
                lambda case=case: decide(
                    pair_id=case.pk,
                    adjudicator=adjudicator,
                    ruling=Ruling(grade=1),
                    judgment_ids=(case.first, case.second),
                    key=uuid.uuid4(),
                ),
                lambda slot=slot, revise=revise: submit_judgment(
                    **revise,
                    answer=Answer(grade=3),
                    presentation_digest=digest_of(slot),
                    key=uuid.uuid4(),
                ),
            ]
        )
        # In either order, the pair now agrees, and a decision is about the judgments that it saw.
        assert not Case.objects.cases().filter(pk=slot.pair_id).exists()
        for decision in Decision.objects.filter(pair_id=slot.pair_id):
            assert (decision.first.grade, decision.second.grade) == (0, 3)
