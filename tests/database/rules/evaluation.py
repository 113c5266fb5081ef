"""Rows that break the rules of `evaluation`."""

from __future__ import annotations

from accounts.models import Collection
from tests.database.rules.world import Case, World, again, change


def labelled_elsewhere(world: World) -> None:
    collection = Collection.objects.create(slug="elsewhere", name="Elsewhere")
    judge = collection.shadow_judges.create(
        name="model", filename="model.txt", labels_count=1, sha256="0" * 64
    )
    again(world.shadow_label, shadow_judge=judge)


CASES = [
    Case("error_tag_type_once_per_system_and_pair", lambda world: again(world.error_tag)),
    Case("error_tag_kind_known", lambda world: change(world.error_tag, kind="typo")),
    Case("error_tag_has_type_and_system", lambda world: change(world.error_tag, type="")),
    Case("error_tag_has_type_and_system", lambda world: change(world.error_tag, system="")),
    Case("error_tag_rank_from_one", lambda world: change(world.error_tag, rank=0)),
    Case("error_tag_grade_known", lambda world: change(world.error_tag, grade=5)),
    Case("shadow_judge_name_once", lambda world: again(world.shadow_judge)),
    Case("shadow_judge_has_name", lambda world: again(world.shadow_judge, name="")),
    Case(
        "shadow_judge_stays_as_imported", lambda world: change(world.shadow_judge, sha256="1" * 64)
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
]
