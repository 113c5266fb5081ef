"""Grades that the marked steps of a method suggest: when, to whom, and what is kept of them."""

from __future__ import annotations

import uuid
from itertools import pairwise

import pytest

from accounts.models import Collection
from annotation.models import Judgment, Opening, RepeatJudgment, Slot
from annotation.proposals.rule import fault_of_proposals, proposed_grade
from annotation.services import Answer, BadAnswer, submit_judgment
from annotation.slot_sql import REPEATS
from tests.support.aspects import (
    STEPS,
    a_proposing_collection,
    an_open_query_with_steps,
    digest_of,
    mark,
)
from tests.support.sittings import carried, pair_url, slots_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def opening() -> Opening:
    return an_open_query_with_steps(a_proposing_collection())


@pytest.fixture
def slot(opening) -> Slot:
    return slots_of(opening, "ann1")[0]


# The rule


@pytest.mark.parametrize(
    ("shared", "steps", "details_alike", "grade"),
    [
        *((0, 3, False, 0), (1, 3, True, 1), (2, 3, False, 2), (2, 3, True, 2)),
        *((3, 3, False, 2), (3, 3, True, 3), (1, 2, True, 1), (2, 4, True, 1), (3, 4, False, 2)),
    ],
)
def test_the_mechanism_decides_before_the_details(shared, steps, details_alike, grade):
    assert proposed_grade(shared, steps, details_alike=details_alike) == grade


def test_another_shared_step_and_details_that_agree_never_lower_the_grade():
    for steps in range(2, 10):
        by_details = [
            [proposed_grade(shared, steps, details_alike=alike) for shared in range(steps + 1)]
            for alike in (False, True)
        ]
        assert all(low <= high for low, high in zip(*by_details, strict=True))
        assert all(low <= high for grades in by_details for low, high in pairwise(grades))


@pytest.mark.parametrize(("shared", "steps"), [(0, 1), (4, 3), (-1, 3)])
def test_steps_that_cannot_be_shared_are_an_error(shared, steps):
    with pytest.raises(ValueError, match=f"{shared} of {steps}"):
        proposed_grade(shared, steps, details_alike=False)


def test_the_rule_is_for_the_facet_method_and_four_grades():
    assert fault_of_proposals(["background", "method"], 3) == ""
    assert "facet method" in fault_of_proposals(["background"], 3)
    assert "0 to 2" in fault_of_proposals(["method"], 2)


# Which queries propose


def lots(collection: Collection) -> list[tuple[int | None, int | None]]:
    rows = Opening.objects.of(collection).order_by("pk")
    return list(rows.values_list("proposal_steps", "proposal_block"))


@pytest.mark.parametrize(
    ("proposes", "names", "lot"),
    [("", STEPS, (None, None)), ("all", STEPS, (3, None)), ("half", [], (None, None))],
)
def test_a_query_proposes_if_its_collection_does_and_its_steps_are_named(proposes, names, lot):
    collection = a_proposing_collection(proposes)
    an_open_query_with_steps(collection, names=names)

    assert lots(collection) == [lot]


def test_a_scale_without_a_rule_proposes_nothing():
    collection = a_proposing_collection(highest_grade=2)
    an_open_query_with_steps(collection)

    assert lots(collection) == [(None, None)]


def test_in_a_study_one_query_of_each_block_proposes():
    collection = a_proposing_collection("half", seed="first")
    for _ in range(6):
        an_open_query_with_steps(collection, size=1)
    found = lots(collection)

    assert [block for _, block in found] == [1, 1, 2, 2, 3, 3]
    assert [sum(bool(steps) for steps, block in found if block == n) for n in (1, 2, 3)] == [1] * 3


# What a judgment gets


def test_a_first_judgment_gets_the_grade_that_its_steps_suggest(slot):
    judgment = mark(slot, 1, 1, 2)

    stored = Judgment.objects.get(pk=judgment.pk)
    assert (stored.grade, stored.details_alike, stored.proposed_grade) == (1, False, 2)


def test_without_marked_steps_the_grade_0_is_proposed(slot):
    assert mark(slot, 1).proposed_grade == 0


@pytest.mark.parametrize("grade", [0, None])
def test_nothing_is_proposed_to_a_judgment_without_a_match(slot, grade):
    assert mark(slot, grade).proposed_grade is None


def test_a_revision_gets_no_proposal(slot):
    first = mark(slot, 1, 1, 2)
    second = mark(slot, 2, 1, supersedes=first.key)

    assert (second.proposed_grade, second.details_alike) == (None, False)


def test_details_need_a_marked_step(slot):
    with pytest.raises(BadAnswer, match="Mark the steps"):
        mark(slot, 1, answer=Answer(1, details_alike=True))


def test_a_query_without_proposals_does_not_ask_for_details():
    slot = slots_of(an_open_query_with_steps(a_proposing_collection("")), "ann1")[0]
    Collection.objects.update(marks_aspects=True)

    with pytest.raises(BadAnswer, match="does not ask for details"):
        mark(slot, 1, answer=Answer(1, aspects=(1,), details_alike=True))
    assert mark(slot, 1, 1).details_alike is None


def test_a_repeat_proposes_as_its_pair_does(slot):
    """Otherwise its judge would learn that it is one."""
    mark(slot, 1, 1, 2)
    repeat = slot.repeats.create(
        query=slot.pair.query, annotator=slot.annotator, token="again", round=1
    )
    submit_judgment(
        slot_id=repeat.pk,
        annotator=slot.annotator,
        answer=Answer(1, aspects=(1, 2)),
        presentation_digest=digest_of(slot),
        key=uuid.uuid4(),
        supersedes=None,
        rows=REPEATS,
    )

    assert RepeatJudgment.objects.get().proposed_grade == 2


# On the pages


def answer(client, slot, grade: str, *aspects: int, **more: str):
    page = client.get(pair_url(slot)).content.decode()
    assert "suggest" not in page
    fields = {**carried(page), "answer": grade, "aspects": aspects, **more}
    return client.post(pair_url(slot), fields)


@pytest.fixture
def judge(client, slot):
    client.force_login(slot.annotator)
    return client


def test_the_proposal_follows_the_saved_grade_and_is_kept_as_a_revision(judge, slot):
    there = answer(judge, slot, "1", 1, 2)
    assert there.url == f"{pair_url(slot)}proposal/"

    page = judge.get(there.url).content.decode()
    assert "You marked 2 of 3 steps. They suggest 2 " in page
    fields = {**carried(page), "answer": "1", "aspects": [1, 2]}
    after = judge.post(pair_url(slot), fields)

    assert after.url == pair_url(slots_of(slot.pair.query.opening, "ann1")[1])
    rows = Judgment.objects.order_by("pk").values_list("grade", "proposed_grade")
    assert list(rows) == [(1, 2), (1, None)]
    assert judge.get(there.url).status_code == 302  # it is answered


def test_steps_that_suggest_the_own_grade_say_nothing(judge, slot):
    there = answer(judge, slot, "3", 1, 2, 3, details="0")

    assert "proposal" not in there.url
    assert Judgment.objects.get().proposed_grade == 3


def test_a_script_is_told_where_the_proposal_is(judge, slot):
    fields = carried(judge.get(pair_url(slot)).content.decode())
    told = judge.post(
        pair_url(slot), {**fields, "answer": "1"}, headers={"accept": "application/json"}
    )

    assert told.json()["proposal"] == f"{pair_url(slot)}proposal/"


def test_the_other_judge_has_no_such_page(client, slot, opening):
    mark(slot, 1, 1, 2)
    client.force_login(opening.seats.get(number=2).annotator)

    assert client.get(f"{pair_url(slot)}proposal/").status_code == 302
