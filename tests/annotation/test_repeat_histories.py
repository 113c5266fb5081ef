"""After any history, repeats changed no count, label or agreement, and threads lose no answer."""

from __future__ import annotations

import uuid
from contextlib import suppress

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Collection, Role, User
from adjudication.labels import pairs_with_judges
from adjudication.models import Recipient
from agreement.revision import revision_of
from annotation import queue
from annotation.models import PairCount, Repeat, RepeatJudgment, Slot, SlotCount
from annotation.services import (
    Answer,
    CannotReassign,
    NotYours,
    RevisedMeanwhile,
    postpone,
    reassign_seat,
    submit_judgment,
)
from annotation.slot_sql import REPEATS
from tests.support.factories import a_collection, an_open_query, member
from tests.support.histories import FEW_HISTORIES
from tests.support.repeats import an_open_query_with_repeats, answer_token, repeats_of
from tests.support.running import at_once
from tests.support.sittings import digest_of, refer

JUDGES = ("ann1", "ann2", "ann3")
STEPS = st.one_of(
    st.tuples(st.just("judge"), st.sampled_from(JUDGES), st.integers(0, 3)),
    st.tuples(st.just("repeat"), st.sampled_from(JUDGES), st.integers(0, 3)),
    st.tuples(st.just("later"), st.sampled_from(JUDGES), st.just(0)),
    st.tuples(st.just("revise"), st.sampled_from(JUDGES), st.integers(0, 3)),
    st.tuples(st.just("hand over"), st.sampled_from(JUDGES), st.sampled_from((1, 2))),
    st.tuples(st.just("again"), st.just(""), st.integers(0, 4)),
)


def take(opening, step):
    """One step. Without repeats, "repeat" does nothing; the other steps are the same."""
    kind, name, value = step
    query, person = opening.query, User.objects.filter(username=name).first()
    own = Slot.objects.filter(pair__query=query, annotator=person).order_by("position")
    if kind == "judge" and (slot := own.unjudged().first()):
        answer_token(opening, person, slot.pair.token, value)
    if kind == "revise" and (slot := own.judged().first()):
        answer_token(opening, person, slot.pair.token, value)
    if kind == "later" and (slot := own.unjudged().first()):
        postpone(slot_id=slot.pk, annotator=person)
    if kind == "repeat":
        due = Repeat.objects.filter(query=query, annotator=person, round=1).order_by("pk")
        if repeat := due.shown().filter(slot__judgment__isnull=False).first():
            answer_token(opening, person, repeat.token, value)
    if kind == "hand over":
        with suppress(CannotReassign):
            reassign_seat(opening=opening, number=value, annotator=person)
    if kind == "again":
        pairs = query.pairs.order_by("pk").judged()
        if pair := pairs.filter(candidate__position=value + 1).first():
            refer(pair, Recipient.JUDGES)


def state_of(opening):
    """Everything that others are shown, by names that do not depend on ids."""
    query = opening.query
    counts = SlotCount.objects.filter(query=query).order_by("number", "annotator")
    columns = ("number", "annotator__username", "total", "judged", "postponed", "ungraded")
    places = {
        document: place
        for place, document in enumerate(
            query.pairs.order_by("candidate__position").values_list(
                "candidate__document__docno", flat=True
            )
        )
    }
    return {
        "slots": list(counts.filter(total__gt=0).values_list(*columns)),
        "pairs": PairCount.objects.filter(query=query)
        .values_list("total", "judged", "disputed", "revision")
        .get(),
        "labels": sorted(
            (
                places[pair.docno],
                (pair.first, pair.second, pair.final, pair.standing.value),
            )
            for pair, *_ in pairs_with_judges(query.collection)
        ),
    }


@pytest.mark.by_day(2)
@pytest.mark.django_db
@pytest.mark.may_differ
@FEW_HISTORIES
@given(st.lists(STEPS, max_size=25))
def test_a_history_with_repeats_leaves_what_the_same_one_leaves_without(steps):
    with transaction.atomic():
        collection = a_collection()
        Collection.objects.filter(pk=collection.pk).update(repeat_share=0.4)
        member(collection, Role.ANNOTATOR, "ann3")
        collection.refresh_from_db()
        opening = an_open_query(collection, size=5)
        assert repeats_of(opening)
        with transaction.atomic():
            for step in steps:
                take(opening, step)
                _check(opening)
            with_repeats = state_of(opening), revision_of(collection)
            transaction.set_rollback(True)
        Repeat.objects.all().delete()
        Collection.objects.update(repeat_share=0)
        opening = type(opening).objects.get(pk=opening.pk)
        for step in steps:
            take(opening, step)
        assert (state_of(opening), revision_of(collection)) == with_repeats
        transaction.set_rollback(True)


def _check(opening):
    """What each judge is told of the own progress adds up, and every answer has its judgment."""
    for name in JUDGES:
        person = User.objects.get(username=name)
        progress = queue.progress_in(opening.query.pk, person)
        listed = queue.own_judgments(opening.query, person)
        assert (progress.judged, progress.ungraded) == (len(listed), 0)
        left = queue.pairs_ahead(
            queue.own_query(opening.query.collection, person, opening.query.name) or opening.query,
            person,
        )
        assert len(left) == progress.remaining
    for repeat in Repeat.objects.unjudged().select_related("slot"):
        assert repeat.slot.annotator_id == repeat.annotator_id
    for answer in RepeatJudgment.objects.select_related("compared", "repeat"):
        assert answer.compared.slot_id == answer.repeat.slot_id


# Threads


@pytest.fixture
def repeat():
    opening = an_open_query_with_repeats(0.5, size=6)
    found = repeats_of(opening)[0]
    answer_token(opening, found.annotator, found.slot.pair.token, 2)
    return found


def submission(repeat, grade, key=None):
    given = {
        "slot_id": repeat.pk,
        "annotator": repeat.annotator,
        "answer": Answer(grade=grade),
        "presentation_digest": digest_of(repeat.slot),
        "key": key or uuid.uuid4(),
        "supersedes": None,
        "rows": REPEATS,
    }
    return lambda: submit_judgment(**given)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_repeat_answered_in_eight_windows_has_one_answer(repeat):
    outcomes = at_once([submission(repeat, thread % 4) for thread in range(8)])

    answer = RepeatJudgment.objects.get()
    assert outcomes.count(answer) == 1
    assert sum(isinstance(outcome, RevisedMeanwhile) for outcome in outcomes) == 7


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_the_same_answer_to_a_repeat_from_eight_threads_counts_once(repeat):
    key = uuid.uuid4()

    outcomes = at_once([submission(repeat, 2, key) for _ in range(8)])

    assert {outcome.pk for outcome in outcomes} == {RepeatJudgment.objects.get().pk}


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_handover_while_a_repeat_is_answered_keeps_the_answer_or_drops_the_repeat(repeat):
    opening = repeat.query.opening
    third = member(repeat.query.collection, Role.ANNOTATOR, "ann3")

    answered, moved = at_once(
        [
            submission(repeat, 1),
            lambda: reassign_seat(opening=opening, number=1, annotator=third),
        ]
    )

    assert moved == 5
    if isinstance(answered, RepeatJudgment):
        assert Repeat.objects.get(pk=repeat.pk).judgment == answered
    else:
        assert isinstance(answered, NotYours)
        assert not Repeat.objects.filter(pk=repeat.pk).exists()
    left = Repeat.objects.unjudged().filter(query=repeat.query)
    assert not left.filter(annotator=repeat.annotator).exists()
