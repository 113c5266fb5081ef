"""Scenes with help requests."""

from __future__ import annotations

import uuid

from accounts.models import User
from annotation.help_requests.services import answer_request, ask_for_help
from annotation.models import HelpRequest, Repeat, Slot
from annotation.slot_sql import REPEATS, OwnSlot
from tests.support.api_world import World


def ask_admin(slot: Slot | Repeat, text: str = "Is a survey a method?", **changes) -> HelpRequest:
    """The person of the slot or the repeat asks."""
    rows = {"rows": REPEATS} if isinstance(slot, Repeat) else {}
    query = slot.query_id if isinstance(slot, Repeat) else slot.pair.query_id
    values = {"on_guideline": False, "key": uuid.uuid4(), "asker": slot.annotator}
    return ask_for_help(slot=OwnSlot(slot.pk, query, **rows), text=text, **values | changes)


def help_request_of(world: World) -> HelpRequest:
    """A question about a pair of the world. A second call gets the same."""
    slot = world.slots()[2]
    asked = HelpRequest.objects.filter(asker=slot.annotator, pair=slot.pair).first()
    return asked or ask_admin(slot)


def answer(request: HelpRequest, text: str = "Only if it compares.", **changes) -> HelpRequest:
    values = {"answered_by": User.objects.get(username="admin"), "for_all": False}
    return answer_request(request=request, answer=text, **values | changes)
