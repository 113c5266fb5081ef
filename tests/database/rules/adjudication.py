"""Rows that break the rules of `adjudication`."""

from __future__ import annotations

from accounts.models import User
from adjudication.models import DueCount
from annotation.models import Judgment
from tests.database.rules.world import (
    Case,
    World,
    again,
    change,
    decided_again,
    delete,
    given,
    judged_again,
    referred,
)


def shown_from_before(world: World) -> None:
    referred(world, "judges")
    change(world.slots[0], judgment=world.judgments[0])


def opened_again_for(world: World, number: int, annotator: User) -> None:
    referred(world, "judges")
    change(world.slots[number - 1], annotator=annotator)


def handed_to_the_other_judge(world: World) -> None:
    opened_again_for(world, 2, world.third)
    change(world.slots[0], annotator=world.second)


def sees_before_done(world: World, role: str) -> None:
    given(world, "owner-annotator", world.first)
    again(world.annotating, role=role)


def decided_by_a_judge_from_before(world: World) -> None:
    opened_again_for(world, 1, world.third)
    decided_again(world, adjudicator=world.first)


def decided_after_a_revision(world: World) -> None:
    judged_again(world)
    change(world.slots[0], judgment=Judgment.objects.get(slot=world.slots[0], sequence=9))
    decided_again(world)


CASES = [
    Case(
        "due_count_once",
        lambda world: again(DueCount.objects.create(query=world.query, difference=9, due=1)),
    ),
    Case("slot_shows_its_own_judgment", lambda world: change(world.slots[0], judgment=None)),
    Case(
        "slot_shows_its_own_judgment",
        lambda world: change(world.open_slots[0], judgment=world.judgments[0]),
    ),
    Case(
        "decision_sequence_once",
        lambda world: decided_again(world, sequence=world.decision.sequence),
    ),
    Case("adjudication_decision.key", lambda world: decided_again(world, key=world.decision.key)),
    Case(
        "decision_grade_or_reason",
        lambda world: decided_again(world, grade=None),
        behind=("decision_reason_is_a_code",),
    ),
    Case(
        "decision_reason_is_a_code",
        lambda world: decided_again(world, grade=None, reason="Garbled"),
    ),
    Case(
        "decision_grade_or_reason",
        lambda world: decided_again(world, grade=5),
        behind=("decision_grade_on_the_scale",),
    ),
    Case("decision_grade_on_the_scale", lambda world: decided_again(world, grade=4)),
    Case("decision_grade_or_reason", lambda world: decided_again(world, reason="Garbled")),
    Case(
        "decision_reason_is_a_code",
        lambda world: decided_again(world, grade=None, reason="Two papers in one"),
    ),
    Case(
        "decision_saw_two_judgments",
        lambda world: decided_again(world, first=world.judgments[0], second=world.judgments[0]),
        behind=("decision_on_standing_judgments",),
    ),
    Case(
        "decision_on_standing_judgments",
        lambda world: decided_again(world, first=world.other_judgments[0]),
    ),
    Case(
        "decision_on_standing_judgments",
        lambda world: decided_again(world, second=world.other_judgments[1]),
    ),
    Case(
        "decision_on_standing_judgments",
        lambda world: decided_again(world, first=world.judgments[1], second=world.judgments[0]),
    ),
    Case("decision_on_standing_judgments", decided_after_a_revision),
    Case("decision_not_by_a_judge", lambda world: decided_again(world, adjudicator=world.first)),
    Case("decision_not_by_a_judge", lambda world: decided_again(world, adjudicator=world.second)),
    Case("decision_not_by_a_judge", decided_by_a_judge_from_before),
    Case(
        "decision_after_the_last_referral",
        lambda world: (referred(world), decided_again(world, referral_count=0)),
    ),
    Case("referral_recipient_known", lambda world: referred(world, "nobody")),
    Case("referral_has_reason", lambda world: referred(world, reason="")),
    Case(
        "referral_of_standing_judgments",
        lambda world: referred(world, second=world.other_judgments[1]),
    ),
    Case(
        "referral_of_standing_judgments", lambda world: (referred(world, "judges"), referred(world))
    ),
    Case("referral_never_edited", lambda world: change(referred(world), reason="Other.")),
    Case("referral_never_deleted", lambda world: delete(referred(world))),
    Case("slot_shows_no_judgment_again", shown_from_before),
    Case("slot_of_a_new_judge", handed_to_the_other_judge),
    Case(
        "slot_of_a_new_judge", lambda world: opened_again_for(world, 1, world.decision.adjudicator)
    ),
    Case(
        "membership_owner_annotator_sees_after_judging_insert",
        lambda world: sees_before_done(world, "adjudicator"),
    ),
    Case(
        "membership_owner_annotator_sees_after_judging_insert",
        lambda world: sees_before_done(world, "admin"),
    ),
    Case(
        "membership_owner_annotator_sees_after_judging_update",
        lambda world: (
            given(world, "owner-annotator", world.first),
            change(world.annotating, role="adjudicator"),
        ),
        behind=("membership_with_pairs_to_judge_stays_update",),
    ),
    Case("adjudication_decision_never_edited", lambda world: change(world.decision, grade=1)),
    Case("adjudication_decision_never_deleted", lambda world: delete(world.decision)),
]
