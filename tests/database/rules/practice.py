"""Rows that break the rules of `practice`."""

from __future__ import annotations

import uuid
from typing import Any

from django.utils import timezone

from accounts.models import Collection
from practice.models import TrainingResult
from tests.database.rules.consent import asked
from tests.database.rules.world import (
    Case,
    World,
    again,
    change,
    delete,
    given,
)


def practised_again(world: World, **changes: Any) -> None:
    again(world.practice_judgment, **{"sequence": 9, "key": uuid.uuid4()} | changes)


def another_pair(world: World, **changes: Any) -> None:
    """Another pair in a round without members."""
    again(world.new_pair, **{"document": world.document, "token": "other"} | changes)


def another_gold(world: World, **changes: Any) -> None:
    again(world.training_pair, **{"document": world.document, "token": "other"} | changes)


def practised_elsewhere(world: World) -> None:
    far = Collection.objects.create(slug="elsewhere", name="Elsewhere")
    numbers = {"kind": "pilot", "number": 1, "seed": "s", "highest_grade": 3}
    again(world.new_pair, practice_set=far.practice_sets.create(**numbers))


def practised_by_an_admin(world: World) -> None:
    given(world, "admin", world.practice_judgment.annotator)
    practised_again(world)


def finished_again(world: World) -> None:
    again(world.finished, sequence=9, key=uuid.uuid4())


def with_result(world: World, **changes: Any) -> TrainingResult:
    """The result of the member who has finished a training set."""
    member = world.finished.pair.practice_set.members.get()
    values = {"member": member, "pairs": 1, "graded": 1, "rho": 0.5, "passed": False}
    return TrainingResult.objects.create(**values | changes)


def member_unfinished(world: World) -> None:
    member = world.finished.pair.practice_set.members.get()
    change(member, finished_at=timezone.now())


def member_of_another_set(world: World) -> None:
    change(world.practice_member, practice_set=world.new_pair.practice_set)


def member_without_exclusion(world: World) -> None:
    again(world.practice_member, annotator=world.third)


def excluded_again(world: World) -> None:
    paper = world.practice_pair.query.query_paper
    delete(paper.exclusions.get(annotator=world.practice_member.annotator))


def new_guideline(world: World) -> None:
    """A row of the set for a guideline, changed to another."""
    change(
        world.practice_guideline,
        guideline=world.guideline.facet.guidelines.create(
            version=9, instructions="", grades=world.guideline.grades
        ),
    )


def pair_of_a_member(world: World) -> None:
    again(world.practice_pair, document=world.document, token="other")


CASES = [
    Case("practice_set_number_once", lambda world: again(world.pilot)),
    Case("practice_set_kind_known", lambda world: again(world.pilot, kind="other")),
    Case("practice_set_numbers_in_range", lambda world: again(world.pilot, number=0)),
    Case("practice_set_stays_as_made", lambda world: change(world.pilot, seed="other")),
    Case(
        "practice_set_stays_closed",
        lambda world: change(world.closed_judgment.pair.practice_set, closed_at=None),
    ),
    Case("practice_guideline_once", lambda world: again(world.practice_guideline)),
    Case("practice_guideline_never_edited", new_guideline),
    Case("practice_pair_once", lambda world: again(world.new_pair, token="other")),
    Case(
        "practice_pair_token_once",
        lambda world: again(world.new_pair, document=world.document),
    ),
    Case("practice_pair_never_edited", lambda world: change(world.practice_pair, token="other")),
    Case("practice_pair_of_its_collection", practised_elsewhere),
    Case("practice_pair_has_gold_for_training", lambda world: another_pair(world, gold=1)),
    Case("practice_pair_gold_on_the_scale", lambda world: another_gold(world, gold=4)),
    Case(
        "practice_pair_of_no_open_query",
        lambda world: another_pair(world, query=world.opening.query),
    ),
    Case("practice_pair_before_its_members", pair_of_a_member),
    Case("practice_member_once", lambda world: again(world.practice_member)),
    Case(
        "practice_member_annotates",
        lambda world: again(world.practice_member, annotator=world.stranger),
        behind=("practice_member_is_excluded",),
    ),
    Case("practice_member_is_excluded", member_without_exclusion),
    Case("practice_member_stays_in_the_set", member_of_another_set),
    Case("practice_member_stays_finished", member_unfinished),
    Case("practice_member_with_judgments_stays", lambda world: delete(world.practice_member)),
    Case("exclusion_after_practice_stays", excluded_again),
    Case("practice_judgment_sequence_once", lambda world: practised_again(world, sequence=1)),
    Case(
        "practice_practicejudgment.key",
        lambda world: practised_again(world, key=world.practice_judgment.key),
    ),
    Case("practice_judgment_grade_or_reason", lambda world: practised_again(world, grade=None)),
    Case("practice_judgment_grade_on_the_scale", lambda world: practised_again(world, grade=4)),
    Case(
        "practice_judgment_by_a_member",
        lambda world: practised_again(world, annotator=world.third),
    ),
    Case("practice_judgment_never_by_an_admin", practised_by_an_admin),
    Case(
        "practice_judgment_after_consent",
        lambda world: (asked(world), practised_again(world)),
    ),
    Case(
        "practice_judgment_of_the_guideline",
        lambda world: practised_again(world, guideline_version=2),
    ),
    Case(
        "practice_judgment_before_the_end",
        lambda world: again(world.closed_judgment, sequence=9, key=uuid.uuid4()),
    ),
    Case("practice_judgment_before_the_member_finished", finished_again),
    Case("practice_judgment_never_edited", lambda world: change(world.practice_judgment, note="?")),
    Case("practice_judgment_never_deleted", lambda world: delete(world.practice_judgment)),
    Case(
        "training_result_after_all_pairs",
        lambda world: with_result(world, member=world.practice_member),
    ),
    Case("practice_trainingresult.member_id", lambda world: again(with_result(world))),
    Case("training_result_has_rho_or_reason", lambda world: with_result(world, undefined="why")),
    Case("training_result_has_rho_or_reason", lambda world: with_result(world, rho=None)),
    Case("training_result_passed_by_rho", lambda world: with_result(world, passed=True)),
    Case(
        "training_result_passed_by_rho",
        lambda world: with_result(world, passed=True, threshold=0.6),
    ),
    Case("training_result_never_edited", lambda world: change(with_result(world), graded=0)),
    Case("training_result_never_deleted", lambda world: delete(with_result(world))),
]
