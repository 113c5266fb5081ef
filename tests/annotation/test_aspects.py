import uuid

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Collection
from annotation.aspects import Aspect, aspects_of, aspects_text, marked_sentences
from annotation.models import Judgment, Slot
from annotation.presentation import shown_text, shown_topic
from annotation.services import Answer, BadAnswer, KeyReused, submit_judgment
from corpus.models import Query
from corpus.topics.queries import BadAspectNames, QueryInUse, name_aspects
from tests.support.aspects import (
    a_query_with_aspects,
    an_asking_collection,
    an_open_query_with_aspects,
    digest_of,
    mark,
)
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@once_a_file
def slot() -> Slot:
    opening = an_open_query_with_aspects(an_asking_collection())
    return Slot.objects.filter(pair__query=opening.query, number=1).first()


# What the aspects of a query are


def test_the_aspects_are_the_bold_sentences_by_their_numbers_in_the_abstract():
    shown = shown_text("T", ["a", "b", "c"], ["method", "result", "method"], {"method"})

    assert aspects_of(shown, []) == (Aspect(1), Aspect(3))


def test_named_aspects_replace_the_sentences():
    shown = shown_text("T", ["a", "b"], ["method", "method"], {"method"})

    assert aspects_of(shown, ["speed", "memory"]) == (Aspect(1, "speed"), Aspect(2, "memory"))


@pytest.mark.parametrize(
    "shown",
    [
        shown_text("T", ["a", "b"], ["method", "result"], {"method"}),
        shown_text("T", ["a"], [], {"method"}),
        shown_topic("T", ["a", "b"], "", has_labels=True),
    ],
    ids=["one bold sentence", "none", "a topic"],
)
def test_a_query_without_a_choice_of_bold_sentences_has_no_aspects(shown):
    assert aspects_of(shown, []) == ()


def test_aspects_are_said_in_words():
    assert aspects_text([2], []) == "sentence 2"
    assert aspects_text([5, 2], []) == "sentences 2, 5"
    assert aspects_text([2], ["speed", "memory"]) == "“memory”"
    assert aspects_text([], []) == ""


def test_each_sentence_says_who_marked_it():
    marks = {"B": [3, 5], "A": [5]}

    assert marked_sentences(marks, []) == {3: "B", 5: "A B"}
    assert marked_sentences(marks, ["speed"]) == {}


# What a judgment stores


def test_a_judgment_stores_what_was_marked(slot):
    assert Judgment.objects.get(pk=mark(slot, 2, 2, 5).pk).aspects == [2, 5]


@pytest.mark.parametrize("grade", [2, 0, None])
def test_a_judgment_without_marks_says_that_they_were_asked_for(slot, grade):
    assert Judgment.objects.get(pk=mark(slot, grade).pk).aspects == []


def test_a_collection_that_does_not_ask_stores_nothing(slot):
    Collection.objects.update(marks_aspects=False)

    assert Judgment.objects.get(pk=mark(slot, 2).pk).aspects is None


def test_a_collection_that_does_not_ask_takes_no_marks(slot):
    Collection.objects.update(marks_aspects=False)

    with pytest.raises(BadAnswer, match="does not ask for aspects"):
        mark(slot, 2, 2)

    assert not Judgment.objects.exists()


@pytest.mark.parametrize("grade", [0, None])
def test_marks_need_a_grade_above_0(slot, grade):
    with pytest.raises(BadAnswer, match="Only a grade above 0"):
        mark(slot, grade, 2)


@pytest.mark.parametrize("number", [0, 1, 4, 6])
def test_only_bold_sentences_of_the_query_can_be_marked(slot, number):
    with pytest.raises(BadAnswer, match=rf"has no aspect {number}. It has 2, 3, 5"):
        mark(slot, 2, number)


@pytest.mark.parametrize("numbers", [(3, 2), (2, 2)])
def test_marks_come_once_and_in_order(slot, numbers):
    with pytest.raises(BadAnswer, match="once, in order"):
        mark(slot, 2, *numbers)


def test_named_aspects_are_marked_by_their_place():
    opening = an_open_query_with_aspects(an_asking_collection(), names=["speed", "memory"])
    slot = Slot.objects.filter(pair__query=opening.query).first()

    with pytest.raises(BadAnswer, match="no aspect 3"):
        mark(slot, 1, 3)
    assert mark(slot, 1, 2).aspects == [2]


@pytest.mark.parametrize("grade", [0, None])
def test_the_database_refuses_marks_without_a_match(slot, grade):
    row = Judgment(
        slot=slot,
        sequence=1,
        annotator=slot.annotator,
        grade=grade,
        reason="" if grade is not None else "garbled",
        aspects=[2],
        presentation_digest=digest_of(slot),
        guideline_version=1,
        key=uuid.uuid4(),
    )

    with pytest.raises(IntegrityError, match="judgment_aspects_with_a_grade"), transaction.atomic():
        row.save(force_insert=True)


# Marks are part of the answer


def test_the_same_marks_sent_twice_count_once(slot):
    key = uuid.uuid4()

    assert mark(slot, 2, 2, key=key) == mark(slot, 2, 2, key=key)
    assert Judgment.objects.count() == 1


def test_a_key_with_other_marks_is_refused(slot):
    key = uuid.uuid4()
    mark(slot, 2, 2, key=key)

    with pytest.raises(KeyReused):
        mark(slot, 2, 3, key=key)
    with pytest.raises(KeyReused):
        mark(slot, 2, key=key)


def test_marks_sent_again_after_the_collection_stopped_asking_are_recognized(slot):
    key = uuid.uuid4()
    first = mark(slot, 2, 2, key=key)
    Collection.objects.update(marks_aspects=False)

    assert mark(slot, 2, 2, key=key) == first


def test_a_revision_can_change_the_marks_alone(slot):
    first = mark(slot, 2, 2)
    mark(slot, 2, 3, supersedes=first.key)

    slot.refresh_from_db()
    assert slot.judgment.aspects == [3]
    assert list(slot.judgments.values_list("aspects", flat=True)) == [[2], [3]]


def test_the_digest_of_the_presentation_is_the_same_with_and_without_marks(slot):
    asked = digest_of(slot)
    Collection.objects.update(marks_aspects=False)

    assert digest_of(Slot.objects.get(pk=slot.pk)) == asked


def test_an_answer_can_be_read_back_from_a_judgment(slot):
    answer = Answer(grade=3, note="a note", aspects=(2,))
    judgment = submit_judgment(
        slot_id=slot.pk,
        annotator=slot.annotator,
        answer=answer,
        presentation_digest=digest_of(slot),
        key=uuid.uuid4(),
        supersedes=None,
    )

    assert Answer.of(judgment) == answer


# Named aspects


def test_the_aspects_of_a_query_get_names():
    query = a_query_with_aspects(an_asking_collection())

    name_aspects(query=query, names=[" speed ", "", "memory"])

    assert Query.objects.get(pk=query.pk).aspect_names == ["speed", "memory"]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["speed"], "at least two"),
        (["speed", "Speed"], "twice"),
        (["x" * 61, "y"], "60 characters"),
        ([str(number) for number in range(10)], "at most 9"),
    ],
)
def test_names_that_are_no_choice_are_refused(names, problem):
    query = a_query_with_aspects(an_asking_collection())

    with pytest.raises(BadAspectNames, match=problem):
        name_aspects(query=query, names=names)


def test_the_names_stay_once_the_query_is_open(slot):
    with pytest.raises(QueryInUse, match="open for judging"):
        name_aspects(query=slot.pair.query, names=["speed", "memory"])
