"""Rows that break the rules of `release`."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from tests.database.rules.world import (
    Case,
    World,
    again,
    change,
    decided_again,
    delete,
    judged_again,
)


def make_a_later_version_public(world: World) -> None:
    later = world.collection.releases.create(version="2", sha256="0" * 64, size=1, manifest={})
    later.public_periods.create(page={})


def judged_again_after_a_public_version(world: World) -> None:
    make_a_later_version_public(world)
    judged_again(world)


def decided_again_after_a_public_version(world: World) -> None:
    make_a_later_version_public(world)
    decided_again(world)


def another_stratum(world: World, **changes: object) -> None:
    """By default of another type than the stratum that there is."""
    again(world.sampled_label.stratum, **{"type": "other"} | changes)


CASES = [
    Case(
        "label_sample_stays_as_drawn",
        lambda world: change(world.sampled_label.stratum.sample, seed="other"),
    ),
    Case("label_stratum_once", lambda world: another_stratum(world, type="true")),
    Case("label_stratum_label_is_0_or_1", lambda world: another_stratum(world, label=2)),
    Case(
        "label_stratum_sampled_at_most_its_population",
        lambda world: another_stratum(world, sampled=3),
    ),
    Case(
        "label_stratum_never_edited",
        lambda world: change(world.sampled_label.stratum, population=9),
    ),
    Case("sampled_label_once", lambda world: again(world.sampled_label)),
    Case(
        "sampled_label_never_edited", lambda world: change(world.sampled_label, query=world.query)
    ),
    Case(
        "sampled_label_of_its_collection",
        lambda world: again(world.sampled_label, query=world.query),
    ),
    Case(
        "sampled_label_of_its_collection",
        lambda world: again(world.sampled_label, candidate=world.pair.candidate),
    ),
    Case("judgment_before_public_version_stays", judged_again_after_a_public_version),
    Case("decision_of_public_version_stays", decided_again_after_a_public_version),
    Case("release_version_once", lambda world: again(world.release)),
    Case("release_has_version", lambda world: again(world.release, version="")),
    Case("release_release_never_edited", lambda world: change(world.release, size=2)),
    Case("release_release_never_deleted", lambda world: delete(world.release)),
    Case("datasheet_question_answered_once", lambda world: again(world.datasheet_answer)),
    Case(
        "datasheet_question_known", lambda world: again(world.datasheet_answer, question="weather")
    ),
    Case(
        "datasheet_answer_has_text",
        lambda world: again(world.datasheet_answer, question="funding", text=""),
    ),
    Case("release_profilethreshold.collection_id", lambda world: again(world.profile_threshold)),
    Case(
        "profile_threshold_hides_one_person",
        lambda world: change(world.profile_threshold, least_people=1),
    ),
    Case("annotator_profile_once_per_person", lambda world: again(world.annotator_profile)),
    Case(
        "annotator_profile_values_known",
        lambda world: again(world.annotator_profile, user=world.first, degree="Dr. Ann"),
    ),
    Case(
        "annotator_profile_has_a_value",
        lambda world: again(world.annotator_profile, user=world.first, degree=""),
    ),
    Case("release_exception_once", lambda world: again(world.exception)),
    Case(
        "release_exception_has_reason",
        lambda world: again(world.exception, check_name="ids", reason=""),
    ),
    Case("release_exception_never_edited", lambda world: change(world.exception, reason="No.")),
    Case("release_exception_never_deleted", lambda world: delete(world.exception)),
    Case("public_period_current_once", lambda world: again(world.public)),
    Case(
        "public_period_ends_after_it_begins",
        lambda world: change(world.public, ended_at=timezone.now() - timedelta(days=1)),
    ),
    Case(
        "public_period_ends_after_it_begins",
        lambda world: change(world.public, ended_by=world.first),
    ),
    Case("public_period_keeps_its_beginning", lambda world: change(world.public, page={"n": 1})),
    Case("public_period_ends_once", lambda world: change(world.past_public, ended_at=None)),
    Case("public_period_never_deleted", lambda world: delete(world.public)),
    Case(
        "release_import_days_in_order",
        lambda world: change(world.release_import, first_day="2024-01-02", last_day="2024-01-01"),
    ),
    Case(
        "release_import_days_in_order",
        lambda world: change(world.release_import, first_day="2024-01-02"),
    ),
    Case("release_releaseimport.collection_id", lambda world: again(world.release_import)),
    Case("erratum_number_once", lambda world: again(world.erratum)),
    Case("erratum_names_query_and_problem", lambda world: again(world.erratum, number=3, query="")),
    Case(
        "erratum_names_query_and_problem", lambda world: again(world.erratum, number=3, problem="")
    ),
    Case("erratum_settled_with_answer", lambda world: change(world.erratum, state="accepted")),
    Case("erratum_settled_with_answer", lambda world: change(world.erratum, answer="Yes.")),
    Case(
        "erratum_settled_with_answer",
        lambda world: again(world.settled_erratum, number=3, answer=""),
    ),
    Case("erratum_keeps_its_report", lambda world: change(world.erratum, problem="Other.")),
    Case("erratum_sender_only_emptied", lambda world: change(world.erratum, network="a")),
    Case(
        "erratum_sender_only_emptied",
        lambda world: change(world.settled_erratum, email="other@example.org"),
    ),
    Case("erratum_settled_once", lambda world: change(world.settled_erratum, answer="Yes.")),
    Case("erratum_never_deleted", lambda world: delete(world.erratum)),
]
