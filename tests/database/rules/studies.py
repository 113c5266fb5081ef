"""Rows that break the rules of `studies`."""

from __future__ import annotations

import uuid
from typing import Any

from accounts.models import Collection, Role
from tests.database.rules.consent import asked
from tests.database.rules.world import (
    Case,
    World,
    again,
    change,
    delete,
    given,
    referred,
    slots_of_pair,
)
from tests.support.factories import member


def referred_in_a_study(world: World) -> None:
    pair = world.study_pair.pair
    first, second = (slot.judgment for slot in slots_of_pair(pair))
    referred(world, "judges", pair=pair, first=first, second=second)


def another_round_of_the_study(world: World) -> None:
    opening = world.study_pair.pair.query.opening
    versions = {"earlier": opening.guideline, "guideline": opening.guideline}
    opening.guideline_changes.create(**versions, round=2, reason="Why")


def rated_again(world: World, **changes: Any) -> None:
    again(world.study_rating, **{"sequence": 9, "key": uuid.uuid4()} | changes)


def studied_again(world: World, **changes: Any) -> None:
    """Another pair in the study. It has two judgments, and no full text."""
    new = {"pair": world.pair, "position": 2, "token": "other"}
    again(world.study_pair, **new | changes)


def studied_elsewhere(world: World) -> None:
    collection = Collection.objects.create(slug="elsewhere", name="Elsewhere")
    member(collection, Role.ANNOTATOR, world.third.username)
    study = collection.studies.create(name="texts", rater=world.third)
    again(world.study_pair, study=study)


def studied_by_an_adjudicator(world: World) -> None:
    given(world, "adjudicator", world.study.rater)
    again(world.study, name="other")


def rated_by_an_adjudicator(world: World) -> None:
    given(world, "adjudicator", world.study.rater)
    rated_again(world)


CASES = [
    Case("new_round_of_a_query_in_a_study", another_round_of_the_study),
    Case("referral_of_a_pair_in_a_study", referred_in_a_study),
    Case("full_text_stays_in_study", lambda world: change(world.full_text, sections=["other"])),
    Case("full_text_in_study_never_deleted", lambda world: delete(world.full_text)),
    Case("study_name_once", lambda world: again(world.study)),
    Case("study_has_name", lambda world: again(world.study, name="")),
    Case(
        "study_rater_only_annotates",
        lambda world: again(world.study, name="other", rater=world.stranger),
    ),
    Case("study_rater_saw_no_grades", studied_by_an_adjudicator),
    Case("study_stays_as_made", lambda world: change(world.study, rater=world.first)),
    Case("study_stays_ended", lambda world: change(world.ended_study, ended_at=None)),
    Case("study_pair_once", lambda world: studied_again(world, pair=world.study_pair.pair)),
    Case(
        "study_pair_position_once",
        lambda world: studied_again(world, position=1),
        behind=("study_pair_has_full_texts",),
    ),
    Case(
        "study_pair_token_once",
        lambda world: studied_again(world, token="token"),
        behind=("study_pair_has_full_texts",),
    ),
    Case(
        "study_pair_label_is_a_grade",
        lambda world: studied_again(world, label=5),
        behind=("study_pair_has_full_texts",),
    ),
    Case("study_pair_never_edited", lambda world: change(world.study_pair, label=1)),
    Case("study_pair_of_its_collection", studied_elsewhere),
    Case(
        "study_pair_judged_twice",
        lambda world: studied_again(world, pair=world.bare_pair),
        behind=("study_pair_has_full_texts",),
    ),
    Case("study_pair_has_full_texts", studied_again),
    Case("study_rating_sequence_once", lambda world: rated_again(world, sequence=1)),
    Case("studies_studyrating.key", lambda world: rated_again(world, key=world.study_rating.key)),
    Case("study_rating_grade_or_reason", lambda world: rated_again(world, grade=None)),
    Case("study_rating_grade_on_the_scale", lambda world: rated_again(world, grade=4)),
    Case(
        "study_rating_before_the_end", lambda world: rated_again(world, study_pair=world.ended_pair)
    ),
    Case("study_rating_rater_saw_no_grades", rated_by_an_adjudicator),
    Case("study_rating_after_consent", lambda world: (asked(world), rated_again(world))),
    Case("study_rating_never_edited", lambda world: change(world.study_rating, note="?")),
    Case("study_rating_never_deleted", lambda world: delete(world.study_rating)),
    Case(
        "judgment_before_full_text",
        lambda world: again(
            world.other_judgments[0], sequence=9, key=uuid.uuid4(), annotator=world.third
        ),
        behind=("judgment_by_the_slots_annotator",),
    ),
]
