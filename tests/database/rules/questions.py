"""Rows that break the rules about questions to judges."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from adjudication.models import Referral
from annotation.models import KeptAnswer, PairQuestion
from studies.models import Study
from tests.database.rules.release import make_a_later_version_public
from tests.database.rules.world import (
    Case,
    World,
    again,
    change,
    decided_again,
    delete,
    judged_again,
    referred,
)
from tests.support.rules import rule_suspended
from tests.support.study_scenes import attach_full_texts


def asked(world: World, **changes: Any) -> PairQuestion:
    """About the pair of the decision, which an admin sends to the adjudicator again before."""
    if not Referral.objects.exists():
        referred(world)
    row = {
        "pair": world.pair,
        "first": world.judgments[0],
        "second": world.judgments[1],
        "wording": "again",
        "asked_by": world.decision.adjudicator,
    }
    return PairQuestion.objects.create(**row | changes)


def kept(world: World, place: int = 0, **changes: Any) -> KeptAnswer:
    row = {"question": changes.pop("question", None) or asked(world)}
    return KeptAnswer.objects.create(**row | {"judgment": world.judgments[place]} | changes)


def taken_back(world: World) -> PairQuestion:
    question = asked(world)
    change(question, taken_back_at=timezone.now())
    return question


def asked_after_a_revision(world: World) -> None:
    question = asked(world)
    judged_again(world)
    later = question.first.slot.judgments.last()
    change(world.slots[0], judgment=later)
    asked(world, first=later)


def taken_back_after_both_answers(world: World) -> None:
    question = asked(world)
    for place in (0, 1):
        kept(world, place, question=question)
    change(question, taken_back_at=timezone.now())


def on_two_grades(world: World) -> None:
    with rule_suspended("scale_stays_once_opened", "accounts_collection"):
        change(world.collection, highest_grade=1, relevant_from=1)
    asked(world)


def asked_after_a_public_version(world: World) -> None:
    make_a_later_version_public(world)
    asked(world)


def asked_about_a_pair_that_a_judge_reads_in_full(world: World) -> None:
    again(world.study, name="other", rater=world.first)
    attach_full_texts(world.pair.candidate.document)
    again(world.study_pair, study=Study.objects.get(name="other"), pair=world.pair, token="other")
    asked(world)


CASES = [
    Case("question_before_public_version", asked_after_a_public_version),
    Case("question_on_a_pair_in_a_study", asked_about_a_pair_that_a_judge_reads_in_full),
    Case("question_wording_known", lambda world: asked(world, wording="A 3, surely")),
    Case(
        "question_on_judgments_once",
        lambda world: (asked(world), asked(world)),
        behind=("question_once",),
    ),
    Case("question_once", lambda world: (asked(world), asked(world))),
    Case("question_once", asked_after_a_revision),
    Case("question_once", lambda world: (taken_back(world), asked(world))),
    Case(
        "question_on_an_undecided_case", lambda world: asked(world, first=world.other_judgments[0])
    ),
    Case(
        "question_on_an_undecided_case",
        lambda world: (referred(world), decided_again(world, referral_count=1), asked(world)),
    ),
    Case("question_not_by_a_judge", lambda world: asked(world, asked_by=world.first)),
    Case("question_with_three_grades", on_two_grades),
    Case("question_keeps_its_words", lambda world: change(asked(world), wording="guideline")),
    Case(
        "question_taken_back_once",
        lambda world: change(taken_back(world), taken_back_at=timezone.now()),
    ),
    Case("question_taken_back_once", taken_back_after_both_answers),
    Case("question_never_deleted", lambda world: delete(asked(world))),
    Case(
        "decision_after_the_answers",
        lambda world: (asked(world), decided_again(world, referral_count=1)),
    ),
    Case("kept_answer_once", lambda world: again(kept(world))),
    Case(
        "kept_answer_of_an_open_question",
        lambda world: kept(world, question=taken_back(world)),
    ),
    Case(
        "kept_answer_of_an_open_question",
        lambda world: kept(world, judgment=world.other_judgments[0]),
    ),
    Case("kept_answer_never_edited", lambda world: change(kept(world), created_at=timezone.now())),
    Case("kept_answer_never_deleted", lambda world: delete(kept(world))),
]
