"""Everything that writes openings, slots and judgments."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from annotation.models import GRADES, Guideline, Judgment, Opening, Pair, Reason, Seat, Slot
from annotation.presentation import Presentation, shown_text
from corpus.models import Facet, Query
from corpus.ordering import order_key
from corpus.services import DEFAULT_FACETS, FacetPlan, create_collection, speaks_of
from pooling.models import Candidate, Pool
from pooling.services import PoolingError, freeze_pool

DEFAULT_GUIDELINES = Path(__file__).parent / "default_guidelines.json"


class JudgingError(Exception):
    """Something about judging cannot be done; the message is for the person who tried."""

    is_for_people = True


class CannotOpen(JudgingError):
    """The query cannot be opened for judging as asked."""


class CannotReassign(JudgingError):
    """The seat cannot be given to this person."""


class NotYours(JudgingError):
    """The slot belongs to somebody else."""


class BadAnswer(JudgingError):
    """The answer is neither a grade nor a reason, or both."""


class WrongPresentation(JudgingError):
    """What was on the annotator's screen is not what the pair shows."""


class RevisedMeanwhile(JudgingError):
    """The slot holds another judgment than the one the annotator was looking at."""


class KeyReused(JudgingError):
    """One idempotency key came with two different answers."""


@dataclass(frozen=True)
class Answer:
    """A grade, or a reason why there is none; and a note."""

    grade: int | None = None
    reason: str = ""
    note: str = ""

    def check(self) -> None:
        if self.grade is None and self.reason not in Reason.values:
            raise BadAnswer("Give a grade from 0 to 3, or say why you cannot judge.")
        if self.grade is not None and (self.grade not in GRADES or self.reason):
            raise BadAnswer(f"{self.grade} with reason {self.reason!r}: give a grade or a reason.")
        if self.reason == Reason.OTHER and not self.note.strip():
            raise BadAnswer("Say in the note why you cannot judge.")


@cache
def default_guidelines() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(DEFAULT_GUIDELINES.read_text())
    return content


def set_up_collection(
    *,
    slug: str,
    name: str,
    facets: tuple[FacetPlan, ...] = DEFAULT_FACETS,
    guidelines: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Collection:
    """Create a collection with its facets and a first guideline for each, ready for work.

    `guidelines` replaces the default text of the facets whose keys it has.
    """
    with transaction.atomic():
        collection = create_collection(slug=slug, name=name, facets=facets, **settings)
        texts = {**default_guidelines(), **(guidelines or {})}
        for facet in collection.facets.all():
            text = texts.get(facet.key, texts["background"])
            write_guideline(facet=facet, instructions=text["instructions"], grades=text["grades"])
    return collection


def write_guideline(*, facet: Facet, instructions: str, grades: list[dict[str, Any]]) -> Guideline:
    """Add the next version of a facet's guideline; queries already open keep theirs."""
    if [grade.get("grade") for grade in grades] != list(GRADES):
        raise JudgingError("A guideline describes the grades 0, 1, 2 and 3, in this order.")
    with transaction.atomic():
        lock_collection(facet.collection)
        latest = facet.guidelines.first()
        return facet.guidelines.create(
            version=latest.version + 1 if latest else 1, instructions=instructions, grades=grades
        )


def open_query(*, query: Query, annotators: tuple[User, User], opened_by: User | None) -> Opening:
    """Open a query for judging: freeze its pool and make two slots for every candidate.

    The first annotator gets slot 1 of every pair, the second slot 2; each has an own order.

    Raises:
        CannotOpen: it is open already, has no pool or no text, or the annotators do not fit.
    """
    try:
        with transaction.atomic():
            collection = lock_collection(query.collection)
            _check_annotators(collection, annotators)
            query = _query_now(query)
            pool = _pool_to_judge(query)
            guideline = query.facet.guidelines.first()
            if guideline is None:
                raise CannotOpen(f"The facet {query.facet.key} has no guideline; write one first.")
            opening = Opening.objects.create(query=query, guideline=guideline, opened_by=opened_by)
            for number, annotator in enumerate(annotators, start=1):
                Seat.objects.create(opening=opening, number=number, annotator=annotator)
            freeze_pool(pool=pool)
            candidates = list(pool.candidates.to_judge().select_related("document"))
            make_slots(query=query, candidates=candidates, annotators=annotators)
    except PoolingError as error:
        raise CannotOpen(f"{query.name} cannot be opened. {error}") from error
    except IntegrityError as error:
        raise CannotOpen(f"{query.name} is open for judging already.") from error
    return opening


def open_queries(
    *, queries: Sequence[Query], annotators: tuple[User, User], opened_by: User | None
) -> list[Opening]:
    """Open all of the queries for judging, or none of them.

    Raises:
        CannotOpen: as `open_query`, at the first query that cannot be opened.
    """
    with transaction.atomic():
        for collection in {query.collection_id: query.collection for query in queries}.values():
            lock_collection(collection)
        return [
            open_query(query=query, annotators=annotators, opened_by=opened_by)
            for query in sorted(queries, key=lambda query: query.name)
        ]


def _check_annotators(collection: Collection, annotators: tuple[User, User]) -> None:
    if annotators[0] == annotators[1]:
        raise CannotOpen(f"Name two different annotators; {annotators[0]} was named twice.")
    for annotator in annotators:
        _check_annotator(collection, annotator)


def _check_annotator(collection: Collection, annotator: User) -> None:
    if not collection.memberships.filter(user=annotator, role=Role.ANNOTATOR).exists():
        raise CannotOpen(f"{annotator} is not an annotator of {collection}; add the role first.")


def _query_now(query: Query) -> Query:
    """The query with its facet, paper and document as they are under the lock."""
    related = ("collection", "facet", "query_paper__document")
    found = Query.objects.select_related(*related).filter(pk=query.pk).first()
    if found is None:
        raise CannotOpen(f"{query.name} was removed, so it cannot be opened.")
    return found


def _pool_to_judge(query: Query) -> Pool:
    pool = Pool.objects.filter(query_paper=query.query_paper).first()
    if pool is None:
        raise CannotOpen(f"{query.name} has no pool yet; build the pools first.")
    document = query.query_paper.document
    if not document.sentences:
        raise CannotOpen(f"{document.docno} has no text here, so nobody can judge against it.")
    if not speaks_of(document, query.facet):
        raise CannotOpen(f"{document.docno} has no sentence on {query.facet.key}.")
    if not pool.candidates.to_judge().exists():
        raise CannotOpen(f"The pool of {document.docno} holds no candidate to judge.")
    return pool


def make_slots(
    *, query: Query, candidates: Sequence[Candidate], annotators: tuple[User, User]
) -> list[Slot]:
    """Make a pair of every candidate and its two slots; needs the candidates' documents loaded.

    The slots come back by number, then by their place in the annotator's own order.
    """
    seed = query.collection.seed
    pairs = Pair.objects.bulk_create(
        Pair(
            query=query,
            candidate=candidate,
            token=order_key(seed, "pair", query.name, candidate.document.docno)[:16],
        )
        for candidate in candidates
    )
    slots = []
    for number, annotator in enumerate(annotators, start=1):
        purpose = f"presentation:{annotator.username}"
        ordered = sorted(
            pairs,
            key=lambda pair: order_key(seed, purpose, query.name, pair.candidate.document.docno),
        )
        slots += Slot.objects.bulk_create(
            Slot(pair=pair, number=number, annotator=annotator, position=position)
            for position, pair in enumerate(ordered, start=1)
        )
    return slots


def reassign_seat(*, opening: Opening, number: int, annotator: User) -> int:
    """Give a seat to somebody else: what is judged stays, the other slots move. Returns how many.

    The new annotator has an own order, the same as if the seat had been his or hers from the start.

    Raises:
        CannotReassign: the rules of two blind judges forbid it, or nothing is left to judge.
    """
    query = opening.query
    try:
        with transaction.atomic():
            lock_collection(query.collection)
            seats = {seat.number: seat for seat in opening.seats.all()}
            _check_newcomer(query, seats, number, annotator)
            moved = _move_slots(query, number, annotator)
            if not moved:
                raise CannotReassign(
                    f"Every pair in this seat of {query.name} is judged: nothing to hand over."
                )
            seats[number].annotator = annotator
            seats[number].save(update_fields=["annotator"])
    except IntegrityError as error:
        raise CannotReassign(
            f"{annotator} judged pairs of {query.name} in the other seat, and nobody judges a pair "
            "twice. Name somebody else."
        ) from error
    return moved


def _check_newcomer(query: Query, seats: Mapping[int, Seat], number: int, annotator: User) -> None:
    if number not in seats:
        raise CannotReassign(f"{query.name} has no seat {number}; it has 1 and 2.")
    if seats[number].annotator_id == annotator.pk:
        raise CannotReassign(f"{annotator} has this seat already.")
    if annotator.pk in {seat.annotator_id for seat in seats.values()}:
        raise CannotReassign(f"{annotator} has the other seat of {query.name}; name somebody else.")
    try:
        _check_annotator(query.collection, annotator)
    except CannotOpen as error:
        raise CannotReassign(str(error)) from error


def _move_slots(query: Query, number: int, annotator: User) -> int:
    """Locked before they are looked at: a judgment that lands meanwhile keeps its slot."""
    slots = (
        Slot.objects.select_for_update(of=("self",))
        .unjudged()
        .filter(pair__query=query, number=number)
        .order_by("pk")
    )
    place = places(query, annotator)
    moved = list(slots)
    for slot in moved:
        slot.annotator = annotator
        slot.position = place[slot.pair_id]
        slot.postponed_at = None
    Slot.objects.bulk_update(moved, ["annotator", "position", "postponed_at"], batch_size=500)
    return len(moved)


def places(query: Query, annotator: User) -> dict[int, int]:
    """Pair to its place, from 1, in the order in which the annotator sees the query's pairs."""
    seed, purpose = query.collection.seed, f"presentation:{annotator.username}"
    pairs = query.pairs.values_list("pk", "candidate__document__docno")
    ordered = sorted(pairs, key=lambda pair: order_key(seed, purpose, query.name, pair[1]))
    return {pk: place for place, (pk, _) in enumerate(ordered, start=1)}


def presentation_of(pair: Pair, guideline_version: int) -> Presentation:
    """What a judge sees of the pair; needs query, facet, query paper and candidate loaded."""
    query = pair.query
    labels = query.facet.labels
    shown_query, shown_candidate = (
        shown_text(text.title, text.sentences, text.labels, labels)
        for text in (query.query_paper.document.text, pair.candidate.document.text)
    )
    return Presentation(
        query_name=query.name,
        facet=query.facet.key,
        query=shown_query,
        docno=pair.candidate.document.docno,
        candidate=shown_candidate,
        guideline_version=guideline_version,
    )


def submit_judgment(
    *,
    slot_id: int,
    annotator: User,
    answer: Answer,
    presentation_digest: str,
    key: uuid.UUID,
    supersedes: uuid.UUID | None,
    seconds: float | None = None,
) -> Judgment:
    """Append a judgment to the annotator's slot; the latest counts.

    `supersedes` is the key of the slot's judgment that the annotator saw, None when there was none.
    A page that shows an older judgment, or one that was never saved, cannot overwrite the current
    one. A count of judgments could: a client that counts on after a refusal soon counts right.
    The same `key` again returns the first judgment.

    Raises:
        NotYours, BadAnswer, WrongPresentation, RevisedMeanwhile, KeyReused
    """
    answer.check()
    try:
        with transaction.atomic():
            # Ordered by its own column: the default order joins the pair and the query, and would
            # lock the query's row against everybody else who judges it.
            slot = Slot.objects.select_for_update().filter(pk=slot_id).order_by("pk").first()
            if slot is None or slot.annotator_id != annotator.pk:
                raise NotYours("This pair is not yours to judge.")
            earlier = Judgment.objects.filter(key=key).first()
            if earlier is not None:
                return _same_submission(earlier, slot, answer)
            _check_presentation(slot, presentation_digest)
            return _append(slot, answer, presentation_digest, key, supersedes, seconds)
    except IntegrityError as error:
        earlier = Judgment.objects.filter(key=key).first()
        if earlier is None:
            raise
        return _same_submission(earlier, Slot.objects.get(pk=slot_id), answer, cause=error)


def _same_submission(
    earlier: Judgment, slot: Slot, answer: Answer, cause: Exception | None = None
) -> Judgment:
    said = Answer(grade=earlier.grade, reason=earlier.reason, note=earlier.note)
    if earlier.slot_id != slot.pk or said != answer:
        raise KeyReused("This page was used for another answer already; reload it.") from cause
    return earlier


def _check_presentation(slot: Slot, digest: str) -> None:
    pair = Pair.objects.select_related(
        "query__facet", "query__query_paper__document", "candidate__document"
    ).get(pk=slot.pair_id)
    version = Opening.objects.values_list("guideline__version", flat=True).get(query=pair.query)
    if presentation_of(pair, version).digest != digest:
        raise WrongPresentation(
            "What you saw is not what this pair shows now, so your answer was not saved. "
            "Reload the page and judge it again."
        )


def _append(
    slot: Slot,
    answer: Answer,
    digest: str,
    key: uuid.UUID,
    supersedes: uuid.UUID | None,
    seconds: float | None,
) -> Judgment:
    current = slot.judgment
    if (current.key if current else None) != supersedes:
        raise RevisedMeanwhile(
            "You judged this pair in another window since this page was made. "
            "That judgment stands; reload to change it."
        )
    judgment = slot.judgments.create(
        sequence=current.sequence + 1 if current else 1,
        annotator_id=slot.annotator_id,
        grade=answer.grade,
        reason=answer.reason,
        note=answer.note,
        presentation_digest=digest,
        key=key,
        seconds=seconds,
    )
    slot.judgment = judgment
    slot.save(update_fields=["judgment"])
    return judgment


def postpone(*, slot_id: int, annotator: User) -> None:
    """Put an unjudged pair behind all the others of its query ("later")."""
    changed = (
        Slot.objects.for_annotator(annotator)
        .unjudged()
        .filter(pk=slot_id)
        .update(postponed_at=timezone.now())
    )
    if not changed:
        raise NotYours("Only a pair of yours that is not judged yet can wait for later.")
