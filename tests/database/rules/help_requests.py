"""Rows that break the rules about help requests."""

from __future__ import annotations

import uuid
from typing import Any

from django.utils import timezone

from accounts.models import Membership, Role, User
from annotation.models import Guideline, HelpExample, HelpReading, HelpRequest, Pair
from tests.database.rules.world import Case, World, again, change, delete


def asked(world: World, **changes: Any) -> HelpRequest:
    """By ann1, about a pair that neither judge has judged."""
    pair: Pair | None = changes.setdefault("pair", world.open_slots[0].pair)
    row = {
        "facet": world.facet,
        "token": pair.token if pair else "",
        "asker": world.first,
        "text": "Why?",
        "key": uuid.uuid4(),
    }
    return HelpRequest.objects.create(**row | changes)


def from_a_case(world: World, **changes: Any) -> HelpRequest:
    """By the adjudicator, about a pair with both judgments."""
    row = {"asker": world.adjudicating.user, "from_case": True, "pair": world.pair}
    return asked(world, **row | changes)


def own_case(world: World) -> HelpRequest:
    """By a judge of the pair who adjudicates in the collection, too."""
    Membership.objects.create(collection=world.collection, user=world.first, role=Role.ADJUDICATOR)
    return from_a_case(world, asker=world.first)


def about_the_guideline(world: World, **changes: Any) -> HelpRequest:
    return asked(world, pair=None, **changes)


def answered(world: World, **changes: Any) -> HelpRequest:
    request = asked(world, **changes.pop("asked", {}))
    row = {
        "answer": "So.",
        "answered_by": User.objects.get(username="admin"),
        "answered_at": timezone.now(),
    }
    change(request, **row | changes)
    return request


def read(world: World) -> HelpReading:
    return HelpReading.objects.create(request=answered(world), reader=world.first)


def example(world: World, **changes: Any) -> HelpExample:
    request = changes.pop("request", None) or answered(world)
    again(world.guideline, version=9)
    return HelpExample.objects.create(
        request=request,
        guideline=Guideline.objects.get(facet=world.facet, version=9),
        written_by=User.objects.get(username="admin"),
        **{"shows_pair": False} | changes,
    )


CASES = [
    Case("help_request_open_once", lambda world: (asked(world), asked(world))),
    Case(
        "help_request_on_guideline_open_once",
        lambda world: (about_the_guideline(world), about_the_guideline(world)),
    ),
    Case("annotation_helprequest.key", lambda world: again(asked(world), token="", pair=None)),
    Case("help_request_has_text", lambda world: asked(world, text="")),
    Case("help_request_on_pair_has_token", lambda world: about_the_guideline(world, token="x")),
    Case("help_request_answered_whole", lambda world: answered(world, answer="")),
    Case("help_request_answered_whole", lambda world: change(asked(world), for_all=True)),
    Case("help_request_on_an_own_pair", lambda world: asked(world, asker=world.third)),
    Case("help_request_on_an_own_pair", lambda world: asked(world, token=world.repeat.token)),
    Case("help_request_on_an_own_pair", lambda world: asked(world, facet=world.other_facet)),
    Case("help_request_by_a_judge", lambda world: about_the_guideline(world, asker=world.stranger)),
    Case(
        "help_request_by_a_judge",
        lambda world: about_the_guideline(world, asker=world.adjudicating.user),
    ),
    Case(
        "help_request_from_a_case_by_an_adjudicator",
        lambda world: from_a_case(world, pair=None, asker=world.third),
    ),
    Case(
        "help_request_on_a_case_of_others",
        lambda world: from_a_case(world, pair=world.open_slots[0].pair),
    ),
    Case("help_request_on_a_case_of_others", lambda world: from_a_case(world, token="x")),
    Case(
        "help_request_on_a_case_of_others",
        lambda world: from_a_case(world, facet=world.other_facet),
    ),
    Case("help_request_on_a_case_of_others", own_case),
    Case("help_request_keeps_its_words", lambda world: change(from_a_case(world), from_case=False)),
    Case("help_request_keeps_its_words", lambda world: change(asked(world), text="Other")),
    Case("help_request_answered_once", lambda world: change(answered(world), answer="Other")),
    Case(
        "help_request_answered_by_an_admin",
        lambda world: answered(world, answered_by=world.second),
    ),
    Case("help_request_never_deleted", lambda world: delete(asked(world))),
    Case("help_reading_once", lambda world: again(read(world))),
    Case("help_reading_never_edited", lambda world: change(read(world), read_at=timezone.now())),
    Case("help_reading_never_deleted", lambda world: delete(read(world))),
    Case("annotation_helpexample.guideline_id", lambda world: again(example(world))),
    Case("help_example_never_edited", lambda world: change(example(world), shows_pair=True)),
    Case("help_example_never_deleted", lambda world: delete(example(world))),
    Case("help_example_of_a_decided_pair", lambda world: example(world, shows_pair=True)),
]
