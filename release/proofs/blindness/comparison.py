"""The comparison of answers before and after another person judges, which is then undone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from accounts.models import Collection, User
from annotation.models import Slot
from annotation.queue import aspects_to_mark
from annotation.services import Answer as GivenAnswer
from annotation.services import presentation_of, shown_query, submit_judgment
from corpus.models import SOURCES, Document
from release.proofs.blindness.visitor import Visitor
from web.errors import UserFacingError

# What others write in the changed state. No other text has it.
MARKER = "Zyxgorbel"
OTHER_YEAR = 1871
CONTEXT = 40  # characters around a difference


class Compared(NamedTuple):
    """The number of answers that were compared, and those that differ: address and excerpt."""

    answers: int
    different: list[tuple[str, str]]
    is_judgment_changed: bool


def compare(visitor: Visitor, slot: Slot, addresses: Sequence[str], *, renames: bool) -> Compared:
    """Request the addresses before and after the slot's person gives another grade and a note.

    He or she marks other aspects of the query, too, if the collection asks for them. With it
    change, if `renames`, the names of all other people; and authors, venue and year of both
    documents. An answer that differs is requested again after all of that was undone: what then
    still differs changes by itself, as a time does.
    """
    before = {address: visitor.get(address).unvarying for address in addresses}
    with transaction.atomic():
        if renames:
            _rename_others(slot.pair.query.collection, visitor.person)
        is_changed = _change(slot)
        after = {address: visitor.get(address).unvarying for address in addresses}
        transaction.set_rollback(True)
    different = [
        (address, _excerpt(before[address], after[address]))
        for address in addresses
        if before[address] != after[address] and before[address] == visitor.get(address).unvarying
    ]
    return Compared(len(addresses), different, is_changed)


def _rename_others(collection: Collection, person: User) -> None:
    others = User.objects.filter(memberships__collection=collection).exclude(pk=person.pk)
    others.update(
        username=Concat(Value(MARKER), Cast("pk", CharField())), first_name=MARKER, last_name=MARKER
    )


def _change(slot: Slot) -> bool:
    """Change what must not be told. False if the rules of the database refuse another judgment."""
    pair = slot.pair
    documents = [pair.candidate.document_id, pair.query.query_paper.document_id]
    Document.objects.filter(pk__in=[pk for pk in documents if pk]).update(
        authors=[MARKER], venue=MARKER, year=OTHER_YEAR
    )
    current = slot.judgment
    grade = 0 if current is None or current.grade is None else current.grade
    highest = pair.query.collection.highest_grade
    other = (grade + 1) % (highest + 1)
    try:
        with transaction.atomic():
            submit_judgment(
                slot_id=slot.pk,
                annotator=slot.annotator,
                answer=GivenAnswer(
                    grade=other, note=MARKER, aspects=_unmarked(slot) if other else ()
                ),
                presentation_digest=presentation_of(
                    pair, pair.query.opening.guideline.version
                ).digest,
                key=uuid.uuid4(),
                supersedes=None if current is None else current.key,
            )
    except UserFacingError:
        return False
    return True


def _unmarked(slot: Slot) -> tuple[int, ...]:
    """The aspects that the slot's judgment has not marked; none if nothing can be marked."""
    query = slot.pair.query
    marked = (slot.judgment.aspects if slot.judgment else None) or []
    aspects = aspects_to_mark(query.collection, query, shown_query(query))
    return tuple(aspect.number for aspect in aspects if aspect.number not in marked)


def with_texts(slots: Sequence[int]) -> Iterator[Slot]:
    """The slots with all that `compare` needs."""
    found = Slot.objects.filter(pk__in=slots).select_related(
        "annotator",
        "judgment",
        "pair__query__collection",
        "pair__query__facet",
        "pair__query__opening__guideline",
        *(f"pair__query__{source}" for source in SOURCES),
        "pair__candidate__document",
    )
    yield from found.order_by("pk")


def _excerpt(before: str, after: str) -> str:
    """The first place where they differ, as it is afterwards."""
    place = next(
        (n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new),
        min(len(before), len(after)),
    )
    return " ".join(after[max(place - CONTEXT, 0) : place + CONTEXT].split())
