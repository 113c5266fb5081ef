"""Rows that break the rules about consent."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.models import Consent, ConsentText
from tests.database.rules.world import Case, World, again, change, delete


def text(world: World, **changes: Any) -> ConsentText:
    return ConsentText.objects.create(
        **{"collection": world.collection, "version": 1, "text": "We store grades."} | changes
    )


def given(world: World) -> Consent:
    return Consent.objects.create(text=text(world), person=world.first, agreed_at=timezone.now())


def withdrawn(world: World) -> Consent:
    consent = given(world)
    change(consent, withdrawn_at=timezone.now())
    return consent


def asked(world: World) -> ConsentText:
    """The collection asks for consent to its first version."""
    first = text(world)
    change(world.collection, consent_version=1)
    return first


def judged(world: World, **changes: Any) -> None:
    again(world.judgments[0], sequence=9, key=uuid.uuid4(), **changes)


def judged_after_withdrawal(world: World) -> None:
    consent = Consent.objects.create(
        text=asked(world), person=world.first, agreed_at=timezone.now()
    )
    judged(world)
    change(consent, withdrawn_at=timezone.now())
    again(world.judgments[0], sequence=10, key=uuid.uuid4())


def judged_under_a_new_version(world: World) -> None:
    Consent.objects.create(text=asked(world), person=world.first, agreed_at=timezone.now())
    text(world, version=2, text="We store more.")
    change(world.collection, consent_version=2)
    judged(world, is_imported=False)


def judged_with_the_consent_of_another(world: World) -> None:
    Consent.objects.create(text=asked(world), person=world.second, agreed_at=timezone.now())
    judged(world)


CASES = [
    Case("judgment_after_consent", lambda world: (asked(world), judged(world))),
    Case("judgment_after_consent", judged_after_withdrawal),
    Case("judgment_after_consent", judged_under_a_new_version),
    Case("judgment_after_consent", judged_with_the_consent_of_another),
    Case(
        "repeat_judgment_after_consent",
        lambda world: (
            asked(world),
            again(world.repeat_judgment, sequence=9, key=uuid.uuid4()),
        ),
    ),
    Case("consent_text_version_once", lambda world: again(text(world))),
    Case("consent_text_has_text", lambda world: text(world, text="")),
    Case("consent_text_has_text", lambda world: text(world, version=0)),
    Case("consent_text_never_edited", lambda world: change(text(world), text="Other.")),
    Case("consent_text_never_deleted", lambda world: delete(text(world))),
    Case("consent_stands_once", lambda world: again(given(world))),
    Case(
        "consent_withdrawn_after_it_was_given",
        lambda world: change(given(world), withdrawn_at=timezone.now() - timedelta(days=1)),
    ),
    Case("consent_keeps_what_was_agreed", lambda world: change(given(world), person=world.second)),
    Case("consent_withdrawn_once", lambda world: change(withdrawn(world), withdrawn_at=None)),
    Case("consent_never_deleted", lambda world: delete(given(world))),
]
