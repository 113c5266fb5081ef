"""Rows that break the rules about blind ratings and claims."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone

from adjudication.models import BlindRating, Claim
from tests.database.rules.world import Case, World, again, change, decided_again, delete, referred
from tests.support.factories import UserFactory


def rated(world: World, **changes: Any) -> BlindRating:
    """A blind rating of the decided pair, by a person who did not decide it."""
    first, second = world.judgments
    row = {"pair": world.pair, "adjudicator": world.stranger, "first": first, "second": second}
    answer = {"grade": 2, "is_spot_check": False, "key": uuid.uuid4()}
    return BlindRating.objects.create(**row | answer | changes)


def claimed(world: World, **changes: Any) -> Claim:
    now = timezone.now()
    row = {"pair": world.pair, "adjudicator": UserFactory(), "claimed_at": now}
    return Claim.objects.create(**row | {"expires_at": now + timedelta(hours=1)} | changes)


def judged_before(world: World) -> None:
    """The pair was opened again, and has another judge by now."""
    referred(world, "judges")
    change(world.slots[0], annotator=world.third)


def decided_without_a_grade_before(world: World) -> None:
    change(world.collection, grades_blind_first=True)
    decided_again(world, adjudicator=world.stranger)


def handed_to_a_rater(world: World) -> None:
    rated(world, adjudicator=world.third)
    referred(world, "judges")
    change(world.slots[0], annotator=world.third)


CASES = [
    Case("slot_of_no_blind_rater", handed_to_a_rater),
    Case(
        "blind_rating_once",
        lambda world: again(rated(world), key=uuid.uuid4()),
    ),
    Case(
        "adjudication_blindrating.key",
        lambda world: again(rated(world), adjudicator=UserFactory()),
    ),
    Case(
        "blind_rating_grade_or_reason",
        lambda world: rated(world, grade=None),
        behind=("blind_rating_reason_is_a_code",),
    ),
    Case(
        "blind_rating_grade_or_reason",
        lambda world: rated(world, grade=5),
        behind=("blind_rating_grade_on_the_scale",),
    ),
    Case("blind_rating_grade_or_reason", lambda world: rated(world, reason="garbled")),
    Case("blind_rating_reason_is_a_code", lambda world: rated(world, grade=None, reason="Garbled")),
    Case("blind_rating_grade_on_the_scale", lambda world: rated(world, grade=4)),
    Case(
        "blind_rating_of_two_judgments",
        lambda world: rated(world, second=world.judgments[0]),
        behind=("blind_rating_on_standing_judgments",),
    ),
    Case(
        "blind_rating_on_standing_judgments",
        lambda world: rated(world, first=world.other_judgments[0]),
    ),
    Case("blind_rating_not_by_a_judge", lambda world: rated(world, adjudicator=world.second)),
    Case(
        "blind_rating_not_by_a_judge",
        lambda world: (judged_before(world), rated(world, adjudicator=world.first)),
        behind=("blind_rating_on_standing_judgments",),
    ),
    Case(
        "blind_rating_before_the_decision",
        lambda world: rated(world, adjudicator=world.decision.adjudicator),
    ),
    Case(
        "blind_rating_spot_check_of_an_agreed_pair",
        lambda world: rated(world, is_spot_check=True),
    ),
    Case("blind_rating_not_on_anothers_claim", lambda world: (claimed(world), rated(world))),
    Case("blind_rating_never_edited", lambda world: change(rated(world), grade=1)),
    Case("blind_rating_never_deleted", lambda world: delete(rated(world))),
    Case("decision_after_a_blind_rating", decided_without_a_grade_before),
    Case(
        "decision_not_on_anothers_claim",
        lambda world: (claimed(world), decided_again(world)),
    ),
    Case("claim_not_by_a_judge", lambda world: claimed(world, adjudicator=world.first)),
    Case("adjudication_claim.pair_id", lambda world: (claimed(world), claimed(world))),
    Case(
        "claim_expires_later",
        lambda world: claimed(world, expires_at=timezone.now() - timedelta(hours=1)),
    ),
]
