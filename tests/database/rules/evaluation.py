"""Rows that break the rules of `evaluation`."""

from __future__ import annotations

from typing import Any

from accounts.models import Collection
from evaluation.models import Asking
from tests.database.rules.world import Case, World, again, change
from tests.support.asking_scenes import an_asking


def labelled_elsewhere(world: World) -> None:
    collection = Collection.objects.create(slug="elsewhere", name="Elsewhere")
    judge = collection.shadow_judges.create(
        name="model", filename="model.txt", labels_count=1, sha256="0" * 64
    )
    again(world.shadow_label, shadow_judge=judge)


def answered_again(world: World, **changes: Any) -> None:
    again(world.model_answer, **{"repetition": 2} | changes)


def answered_elsewhere(world: World) -> None:
    asking = an_asking(Collection.objects.create(slug="elsewhere", name="Elsewhere"))
    answered_again(world, shadow_judge=asking.shadow_judge)


def change_asking(world: World, **changes: Any) -> None:
    Asking.objects.filter(pk=world.asking.pk).update(**changes)


CASES = [
    Case("error_tag_type_once_per_system_and_pair", lambda world: again(world.error_tag)),
    Case("error_tag_kind_known", lambda world: change(world.error_tag, kind="typo")),
    Case("error_tag_has_type_and_system", lambda world: change(world.error_tag, type="")),
    Case("error_tag_has_type_and_system", lambda world: change(world.error_tag, system="")),
    Case("error_tag_rank_from_one", lambda world: change(world.error_tag, rank=0)),
    Case("error_tag_grade_known", lambda world: change(world.error_tag, grade=5)),
    Case("shadow_judge_name_once", lambda world: again(world.shadow_judge)),
    Case("shadow_judge_has_name", lambda world: again(world.shadow_judge, name="")),
    Case("shadow_judge_stays_as_imported", lambda world: change(world.shadow_judge, filename="g")),
    Case(
        "shadow_judge_stays_as_imported",
        lambda world: change(world.asking.shadow_judge, model="other"),
    ),
    Case(
        "shadow_judge_labels_stay_as_imported",
        lambda world: change(world.shadow_judge, labels_count=9),
    ),
    Case("shadow_label_once_per_pair", lambda world: again(world.shadow_label)),
    Case(
        "shadow_label_is_a_grade",
        lambda world: again(world.shadow_label, pair=world.pair, grade=9),
        behind=("shadow_label_on_the_scale",),
    ),
    Case(
        "shadow_label_on_the_scale",
        lambda world: again(world.shadow_label, pair=world.pair, grade=4),
    ),
    Case("shadow_label_of_its_collection", labelled_elsewhere),
    Case("shadow_label_never_edited", lambda world: change(world.shadow_label, grade=1)),
    Case(
        "shadow_label_of_asked_model_is_an_answer",
        lambda world: again(
            world.shadow_label, shadow_judge=world.asking.shadow_judge, pair=world.pair
        ),
    ),
    Case(
        "asking_pairs_known",
        lambda world: change_asking(world, pairs="some"),
        behind=("asking_stays_as_begun",),
    ),
    Case(
        "asking_limit_name_known",
        lambda world: change_asking(world, limit_name="tokens"),
        behind=("asking_stays_as_begun",),
    ),
    Case("asking_limits_are_at_least_one", lambda world: change_asking(world, concurrency=0)),
    Case("asking_money_is_not_negative", lambda world: change_asking(world, budget=-1)),
    Case("asking_stays_as_begun", lambda world: change_asking(world, temperature=1.5)),
    Case("model_answer_once", lambda world: again(world.model_answer)),
    Case("model_answer_never_edited", lambda world: change(world.model_answer, raw="3")),
    Case(
        "model_answer_of_an_asked_model",
        lambda world: answered_again(world, shadow_judge=world.shadow_judge),
    ),
    Case("model_answer_on_the_scale", lambda world: answered_again(world, grade=4)),
    Case("model_answer_of_its_collection", answered_elsewhere),
    Case(
        "model_answer_grade_or_problem",
        lambda world: answered_again(world, grade=None),
    ),
    Case(
        "model_answer_grade_or_problem",
        lambda world: answered_again(world, problem="no-grade"),
    ),
    Case(
        "model_answer_repetition_from_one",
        lambda world: answered_again(world, repetition=0),
    ),
    Case("model_answer_not_negative", lambda world: answered_again(world, cost=-1)),
]
