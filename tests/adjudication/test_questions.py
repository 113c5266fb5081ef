"""The adjudicator asks both judges of a case to look at it again. See ADR 58."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from accounts.locking import CollectionArchived
from accounts.models import Role, User
from adjudication.errors import JudgedByYou, JudgmentsChanged, NoSuchCase, WaitsForJudges
from adjudication.labels import labelled_pairs
from adjudication.models import Case, Recipient
from adjudication.questions.counted import questions_that_count
from adjudication.questions.services import (
    BadQuestion,
    CannotAsk,
    CannotTakeBack,
    take_back,
)
from adjudication.queue import all_counts, due_cases, queries_with_cases
from adjudication.referrals.services import CannotRefer
from adjudication.standing import Standing
from annotation.guidelines.changes import apply_guideline
from annotation.models import KeptAnswer, PairQuestion, Reason, Slot
from annotation.questions.reading import asked_pairs
from annotation.questions.services import NoOpenQuestion
from annotation.services import (
    Answer,
    CannotReassign,
    NotYours,
    RevisedMeanwhile,
    reassign_seat,
)
from dashboard.settings.archiving import archive_collection
from tests.adjudication.test_counts import a_version_for
from tests.support.counting import kept_counts, recounted
from tests.support.factories import a_collection, an_open_query, member
from tests.support.running import at_once
from tests.support.sittings import ask, judge, judge_both, keep, refer, settle, slots_of
from tests.support.study_scenes import attach_full_texts
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def opening():
    """Three pairs: a difference of 3, a "cannot judge", and two equal grades."""
    opening = an_open_query(a_collection(), size=3)
    judge_both(opening, (0, 3), (Answer(reason=Reason.GARBLED), 1), (2, 2))
    return opening


@pytest.fixture
def slots(opening):
    """Both slots of the pair with a difference, slot 1 first."""
    return slots_of_pair(slots_of(opening, "ann1")[0])


@pytest.fixture
def adjudicator(opening):
    return User.objects.get(username="adju")


def slots_of_pair(slot: Slot) -> tuple[Slot, Slot]:
    first, second = Slot.objects.filter(pair=slot.pair_id).order_by("number")
    return first, second


def is_due(slot: Slot) -> bool:
    return Case.objects.due().filter(pk=slot.pair_id).exists()


def is_asked(slot: Slot) -> bool:
    """Whether the slot's annotator finds a question on the pair."""
    asked = asked_pairs(slot.pair.query.collection, slot.annotator)
    return asked.filter(pair=slot.pair_id).exists()


# The question


def test_while_a_question_is_open_the_case_is_not_due(slots, adjudicator):
    collection = slots[0].pair.query.collection
    assert all_counts(collection, adjudicator) == {"due": 2, "decided": 0}

    ask(slots[0], adjudicator)

    assert not is_due(slots[0])
    assert all_counts(collection, adjudicator) == {"due": 1, "decided": 0}
    assert due_cases([collection.pk], adjudicator) == {collection.pk: 1}
    assert kept_counts() == recounted()


def test_a_query_whose_cases_all_wait_is_not_in_the_queue(opening, adjudicator):
    for slot in slots_of(opening, "ann1")[:2]:
        ask(slot, adjudicator)

    assert queries_with_cases(opening.query.collection, adjudicator) == []


def test_a_waiting_pair_has_no_label(slots, adjudicator):
    ask(slots[0], adjudicator)

    docno = slots[0].pair.candidate.document.docno
    (pair,) = (p for p in labelled_pairs(slots[0].pair.query.collection) if p.docno == docno)
    assert (pair.standing, pair.final) == (Standing.DUE, None)


def test_a_waiting_case_cannot_be_decided(slots, adjudicator):
    ask(slots[0], adjudicator)

    with pytest.raises(WaitsForJudges):
        settle(slots[0], adjudicator, 1)


def test_both_judges_are_asked_in_the_same_words_about_the_same_sentences(slots, adjudicator):
    ask(slots[0], adjudicator, wording="guideline", candidate_sentences=[2, 1, 2])

    (question,) = PairQuestion.objects.all()
    assert (question.wording, question.candidate_sentences) == ("guideline", [1, 2])
    assert is_asked(slots[0])
    assert is_asked(slots[1])


def test_a_judge_who_cannot_judge_can_be_asked(opening, adjudicator):
    slot = slots_of(opening, "ann1")[1]

    ask(slot, adjudicator)

    assert is_asked(slot)


def test_an_agreed_pair_is_asked_about_only_if_an_admin_sent_it_to_adjudication(
    opening, adjudicator
):
    slot = slots_of(opening, "ann1")[2]
    with pytest.raises(NoSuchCase):
        ask(slot, adjudicator)

    refer(slot.pair, Recipient.ADJUDICATOR)
    ask(slot, adjudicator)

    assert is_asked(slot)
    assert kept_counts() == recounted()


def test_a_decided_case_is_not_asked_about(slots, adjudicator):
    settle(slots[0], adjudicator, 1)

    with pytest.raises(NoSuchCase):
        ask(slots[0], adjudicator)


@pytest.mark.parametrize("side", ["query", "candidate"])
@pytest.mark.parametrize("number", [0, 99])
def test_a_sentence_that_does_not_exist_is_named(slots, adjudicator, side, number):
    with pytest.raises(BadQuestion, match=f"The {side} has no sentence {number}"):
        ask(slots[0], adjudicator, **{f"{side}_sentences": [number]})


def test_own_words_are_refused(slots, adjudicator):
    with pytest.raises(BadQuestion, match="Unknown wording"):
        ask(slots[0], adjudicator, wording="Surely this is a 3?")


def test_a_question_is_about_the_judgments_that_the_page_showed(slots, adjudicator):
    seen = tuple(slot.judgment_id for slot in slots)
    judge(slots[1], 2)

    with pytest.raises(JudgmentsChanged):
        ask(slots[0], adjudicator, judgment_ids=seen)


def test_a_judge_of_the_pair_asks_nobody(slots):
    judge_and_adjudicator = slots[0].annotator

    with pytest.raises(JudgedByYou):
        ask(slots[0], judge_and_adjudicator)


@pytest.mark.parametrize("loss", ["role", "login"])
def test_a_judge_who_could_not_answer_is_not_asked(slots, adjudicator, loss):
    annotator = slots[1].annotator
    if loss == "role":
        annotator.memberships.all().delete()
    else:
        User.objects.filter(pk=annotator.pk).update(is_active=False)

    with pytest.raises(CannotAsk, match="no annotator of this collection any more or cannot log"):
        ask(slots[0], adjudicator)


def test_a_judge_who_was_an_admin_meanwhile_is_not_asked(slots, adjudicator):
    collection = slots[0].pair.query.collection
    collection.given_roles.create(user=slots[1].annotator, role=Role.ADMIN)

    with pytest.raises(CannotAsk):
        ask(slots[0], adjudicator)


def test_on_two_grades_a_question_would_tell_the_other_grade():
    opening = an_open_query(a_collection(highest_grade=1, relevant_from=1), size=1)
    (slot,) = judge_both(opening, (0, 1))

    with pytest.raises(CannotAsk, match="two grades"):
        ask(slot, User.objects.get(username="adju"))


def test_a_pair_that_a_judge_reads_in_full_is_not_asked_about(slots, adjudicator):
    pair = slots[0].pair
    attach_full_texts(pair.query.query_paper.document, pair.candidate.document)
    study = pair.query.collection.studies.create(name="texts", rater=slots[0].annotator)
    study.pairs.create(pair=pair, position=1, token="token", label=2)

    with pytest.raises(CannotAsk, match="full-text study"):
        ask(slots[0], adjudicator)


@pytest.mark.parametrize("ending", ["answered", "taken back"])
def test_a_pair_is_asked_about_once(slots, adjudicator, ending):
    """A judge who kept the judgment would learn from a second question that the other did not."""
    question = ask(slots[0], adjudicator)
    if ending == "answered":
        keep(slots[0])
        judge(slots[1], 2)
    else:
        take_back(question=question, taken_back_by=adjudicator)

    with pytest.raises(CannotAsk, match="were asked before"):
        ask(slots[0], adjudicator)


def test_nothing_changes_in_an_archived_collection(slots, adjudicator):
    collection = slots[0].pair.query.collection
    question = ask(slots[0], adjudicator)
    archive_collection(collection=collection)

    for action in (
        lambda: keep(slots[0]),
        lambda: judge(slots[0], 2),
        lambda: take_back(question=question, taken_back_by=adjudicator),
    ):
        with pytest.raises(CollectionArchived):
            action()
    assert KeptAnswer.objects.count() == 0


def test_no_question_is_asked_in_an_archived_collection(slots, adjudicator):
    archive_collection(collection=slots[0].pair.query.collection)

    with pytest.raises(CollectionArchived):
        ask(slots[0], adjudicator)


# The answers


def test_a_case_is_due_again_after_both_answers_if_the_grades_still_differ(slots, adjudicator):
    ask(slots[0], adjudicator)

    keep(slots[0])
    assert not is_due(slots[0])
    judge(slots[1], 2)

    assert is_due(slots[0])
    assert kept_counts() == recounted()
    settle(slots[0], adjudicator, 1)


def test_both_judges_may_keep_their_judgments(slots, adjudicator):
    ask(slots[0], adjudicator)

    for slot in slots:
        keep(slot)

    assert is_due(slots[0])
    assert kept_counts() == recounted()


def test_a_pair_whose_grades_agree_after_the_answers_is_no_case(slots, adjudicator):
    ask(slots[0], adjudicator)

    keep(slots[1])
    judge(slots[0], 3)

    assert not Case.objects.cases().filter(pk=slots[0].pair_id).exists()
    assert kept_counts() == recounted()


def test_a_judge_is_asked_also_when_the_answer_of_the_other_settled_the_pair(slots, adjudicator):
    ask(slots[0], adjudicator)

    judge(slots[0], 3)

    assert is_asked(slots[1])
    judge(slots[1], 1)
    assert is_due(slots[0])
    assert kept_counts() == recounted()


def test_an_answer_is_not_asked_for_again(slots, adjudicator):
    ask(slots[0], adjudicator)

    keep(slots[0])

    assert not is_asked(slots[0])
    assert is_asked(slots[1])


def test_a_revision_on_ones_own_account_answers_the_question(slots, adjudicator):
    ask(slots[0], adjudicator)

    judge(slots[0], 0)  # the same grade, in the workspace

    assert not is_asked(slots[0])


def test_a_judge_who_kept_the_judgment_can_still_revise_it(slots, adjudicator):
    ask(slots[0], adjudicator)
    keep(slots[0])

    judge(slots[0], 2)

    assert not is_asked(slots[0])
    assert not is_due(slots[0])
    keep(slots[1])
    assert is_due(slots[0])
    assert kept_counts() == recounted()


def test_the_same_answer_sent_twice_counts_once(slots, adjudicator):
    ask(slots[0], adjudicator)

    assert keep(slots[0]) == keep(slots[0])
    assert KeptAnswer.objects.count() == 1


def test_a_page_that_shows_an_older_judgment_keeps_nothing(slots, adjudicator):
    ask(slots[0], adjudicator)
    old_key = slots[0].judgment.key
    judge(slots[0], 1)

    with pytest.raises(RevisedMeanwhile):
        keep(slots[0], judgment_key=old_key)


def test_the_question_to_others_cannot_be_answered(slots, adjudicator):
    ask(slots[0], adjudicator)
    stranger = member(slots[0].pair.query.collection, Role.ANNOTATOR, "ann3")

    with pytest.raises(NotYours):
        keep(slots[0], annotator=stranger)


def test_a_question_that_does_not_exist_is_not_answered(slots):
    with pytest.raises(NotYours):
        keep(slots[0])


def test_all_versions_of_a_judgment_are_kept(slots, adjudicator):
    question = ask(slots[0], adjudicator)
    judge(slots[0], 2)

    assert [row.grade for row in slots[0].judgments.all()] == [0, 2]
    assert question.first.grade == 0


# The end of a question by something else


def test_a_question_taken_back_makes_the_case_due(slots, adjudicator):
    question = ask(slots[0], adjudicator)
    keep(slots[0])

    take_back(question=question, taken_back_by=adjudicator)

    assert is_due(slots[0])
    assert not is_asked(slots[1])
    assert kept_counts() == recounted()
    with pytest.raises(NoOpenQuestion):
        keep(slots[1])


def test_a_question_on_a_pair_that_agrees_by_now_can_be_taken_back(slots, adjudicator):
    question = ask(slots[0], adjudicator)
    judge(slots[0], 3)

    take_back(question=question, taken_back_by=adjudicator)

    assert not Case.objects.cases().filter(pk=slots[0].pair_id).exists()
    assert kept_counts() == recounted()


def test_another_adjudicator_may_take_a_question_back(slots, adjudicator):
    question = ask(slots[0], adjudicator)
    other = member(slots[0].pair.query.collection, Role.ADJUDICATOR, "adju2")

    take_back(question=question, taken_back_by=other)

    assert is_due(slots[0])


def test_an_answered_question_cannot_be_taken_back(slots, adjudicator):
    question = ask(slots[0], adjudicator)
    for slot in slots:
        keep(slot)

    with pytest.raises(CannotTakeBack):
        take_back(question=question, taken_back_by=adjudicator)


def test_a_judge_who_left_leaves_a_question_that_can_be_taken_back(slots, adjudicator):
    question = ask(slots[0], adjudicator)
    slots[1].annotator.memberships.all().delete()

    take_back(question=question, taken_back_by=adjudicator)

    assert is_due(slots[0])


def test_a_waiting_pair_is_not_referred_to_the_adjudicator_who_asked(slots, adjudicator):
    ask(slots[0], adjudicator)

    with pytest.raises(CannotRefer, match="waits for the adjudicator already"):
        refer(slots[0].pair, Recipient.ADJUDICATOR)


def test_a_pair_that_two_judges_judge_again_has_no_open_question(slots, adjudicator):
    ask(slots[0], adjudicator)

    refer(slots[0].pair, Recipient.JUDGES)

    assert not is_asked(slots[0])
    assert not PairQuestion.objects.open().exists()
    assert kept_counts() == recounted()


def test_after_two_judges_judged_it_again_a_pair_can_be_asked_about_again(slots, adjudicator):
    ask(slots[0], adjudicator)
    refer(slots[0].pair, Recipient.JUDGES)
    for slot, grade in zip(slots, (1, 3), strict=True):
        judge(slot, grade)

    question = ask(slots[0], adjudicator)

    assert list(questions_that_count()) == [question]


def test_in_another_round_no_question_is_open_and_the_pair_can_be_asked_about_again(
    slots, adjudicator
):
    ask(slots[0], adjudicator)
    opening = slots[0].pair.query.opening

    apply_guideline(
        collection=opening.query.collection,
        queries=[opening.query.name],
        guideline=opening.guideline,
        reason="Again.",
        judge_again=True,
        made_by=None,
    )

    assert not is_asked(slots[0])
    assert list(questions_that_count()) == []
    for slot, grade in zip(slots_of_pair(slots[0]), (1, 3), strict=True):
        judge(slot, grade)
    assert is_due(slots[0])
    ask(slots[0], adjudicator)
    assert kept_counts() == recounted()


def test_a_new_version_of_the_guideline_in_the_same_round_leaves_the_question_open(
    slots, adjudicator
):
    ask(slots[0], adjudicator)
    for name in ("ann3", "ann4"):
        member(slots[0].pair.query.collection, Role.ANNOTATOR, name)

    a_version_for(slots[0].pair.query.opening, judge_again=False)

    assert is_asked(slots[0])
    keep(slots[0])
    assert not is_asked(slots[0])


def test_a_judged_slot_is_not_handed_over_while_its_judge_is_asked(slots, adjudicator):
    ask(slots[0], adjudicator)
    newcomer = member(slots[0].pair.query.collection, Role.ANNOTATOR, "ann3")

    with pytest.raises(CannotReassign):
        reassign_seat(opening=slots[0].pair.query.opening, number=1, annotator=newcomer)

    assert is_asked(slots[0])


# At once


def scene() -> tuple[tuple[Slot, Slot], User]:
    opening = an_open_query(a_collection(), size=1)
    (slot,) = judge_both(opening, (0, 3))
    return slots_of_pair(slot), User.objects.get(username="adju")


def outcomes(*actions: Callable[[], object]) -> list[str]:
    """What came of these actions, begun together: "done", or the name of the refusal."""
    results = at_once(actions)
    return [type(each).__name__ if isinstance(each, Exception) else "done" for each in results]


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answers", [(keep, keep), (keep, judge), (judge, judge)])
def test_two_answers_at_once_make_the_case_due_once(answers):
    slots, adjudicator = scene()
    ask(slots[0], adjudicator)
    actions = [
        partial(answer, slot) if answer is keep else partial(answer, slot, grade)
        for answer, slot, grade in zip(answers, slots, (1, 2), strict=True)
    ]

    assert outcomes(*actions) == ["done", "done"]
    assert is_due(slots[0])
    assert kept_counts() == recounted()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", [keep, partial(judge, answer=2)])
def test_the_last_answer_and_a_take_back_make_the_case_due_once(answer):
    slots, adjudicator = scene()
    question = ask(slots[0], adjudicator)
    keep(slots[0])

    answered, taken_back = outcomes(
        lambda: answer(slots[1]),
        lambda: take_back(question=question, taken_back_by=adjudicator),
    )

    assert answered in ("done", "NoOpenQuestion")
    assert taken_back in ("done", "CannotTakeBack")
    assert "done" in (answered, taken_back)
    assert is_due(slots[0])
    assert kept_counts() == recounted()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_case_is_asked_about_or_decided():
    slots, adjudicator = scene()
    other = member(slots[0].pair.query.collection, Role.ADJUDICATOR, "adju2")

    results = outcomes(lambda: ask(slots[0], adjudicator), lambda: settle(slots[0], other, 1))

    assert results in (["NoSuchCase", "done"], ["done", "WaitsForJudges"])
    assert kept_counts() == recounted()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_adjudicators_ask_once():
    slots, adjudicator = scene()
    other = member(slots[0].pair.query.collection, Role.ADJUDICATOR, "adju2")

    results = outcomes(lambda: ask(slots[0], adjudicator), lambda: ask(slots[0], other))

    assert sorted(results) == ["CannotAsk", "done"]
    assert PairQuestion.objects.count() == 1
    assert kept_counts() == recounted()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_decision_waits_for_the_last_answer():
    slots, adjudicator = scene()
    ask(slots[0], adjudicator)
    keep(slots[0])

    answered, decided = outcomes(lambda: keep(slots[1]), lambda: settle(slots[0], adjudicator, 1))

    assert answered == "done"
    assert decided in ("done", "WaitsForJudges")
    assert kept_counts() == recounted()
