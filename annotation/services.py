"""Everything that writes openings, slots and judgments."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, F, Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about, about_person
from accounts.locking import CollectionArchived, check_not_archived, lock_collection
from accounts.models import JUDGES, Collection, User
from annotation.aspects import aspects_of
from annotation.guidelines.defaults import default_guideline, with_names
from annotation.models import (
    LONGEST_REASON,
    GradeMeaning,
    Guideline,
    GuidelineText,
    Judgment,
    Opening,
    Pair,
    Reason,
    Repeat,
    RepeatQuerySet,
    Seat,
    Slot,
    SlotQuerySet,
)
from annotation.presentation import (
    Presentation,
    ShownText,
    shown_text,
    shown_topic,
    shown_with_numbers,
)
from annotation.proposals.lots import draw_lot
from annotation.proposals.rule import proposed_grade
from annotation.qualifications.standing import adjudicating_seniors, must_qualify
from annotation.repeats.planning import plan_old_pairs, plan_repeats
from annotation.slot_sql import (
    REPEATS,
    SLOTS,
    GivenJudgment,
    JudgedRows,
    LockedSlot,
    compared_by,
    insert_judgment,
    lock_slot,
    show_judgment,
)
from annotation.unchecked_labels import listed, names_with_unchecked_labels
from corpus.facets import DEFAULT_FACETS, FacetPlan
from corpus.models import SOURCES, Facet, Query, Topic
from corpus.ordering import order_key, random_number
from corpus.services import create_collection
from database.bulk import insert_rows, update_rows
from database.consistent_reads import batched
from pooling.models import Candidate, Pool
from pooling.services import PoolingError, freeze_pool
from web.errors import UserFacingError


class JudgingError(UserFacingError):
    """A request about judging that cannot be met; the message is for the person who made it."""


class JudgingConflict(JudgingError):
    """A request that contradicts the present state."""

    status = 409


class CannotOpen(JudgingConflict):
    """The query cannot be opened for judging as asked."""


class SeniorsAdjudicate(CannotOpen):
    """Seniors adjudicate in this collection, and one would judge."""

    def __init__(self, seniors: Iterable[User]) -> None:
        names = [person.shown_name for person in seniors]
        are = "are seniors, who adjudicate" if len(names) > 1 else "is a senior, who adjudicates"
        super().__init__(
            f"{listed(names)} {are} in this collection. Choose other annotators, or state why a "
            "senior judges."
        )


class GuidelineChanged(JudgingConflict):
    """Another version was written since the one that the new text is based on."""

    def __init__(self, newest: int) -> None:
        super().__init__(
            f"The newest version of the guideline is {newest}. Read it, and send it as based_on."
        )


def fault_of_reason(reason: str, purpose: str) -> str:
    """The fault of a reason why pairs are judged again, or "" if it has none.

    `purpose` says what to enter.
    """
    if not reason:
        return f"The reason is missing. Enter {purpose}."
    if len(reason) > LONGEST_REASON:
        return f"Shorten the reason to {LONGEST_REASON:,} characters. It has {len(reason):,} now."
    return ""


class UncheckedLabels(CannotOpen):
    """Query papers have predicted labels that no person has checked."""

    def __init__(self, names: list[str]) -> None:
        papers, have = ("query papers", "have") if len(names) > 1 else ("query paper", "has")
        super().__init__(
            f"The {papers} of {listed(names)} {have} predicted labels that are not checked. "
            "Check them on the page Check labels, or open although labels are unchecked."
        )


class CannotReassign(JudgingError):
    """The seat cannot be given to this person."""


class NotYours(JudgingError):
    """The slot belongs to another annotator."""

    status = 404


class BadAnswer(JudgingError):
    """The answer is neither a grade nor a reason, or both."""


class WrongPresentation(JudgingConflict):
    """The annotator's page showed another text than the pair shows."""


class UnreadGuideline(JudgingConflict):
    """The query is judged by a version of the guideline that the annotator has not read."""


class NotQualified(JudgingConflict):
    """The collection asks annotators to qualify first, and the person has not."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            gettext(
                "You have not qualified to judge in %(collection)s, so no pair can be shown or "
                "judged. Judge a training set on the page Training, or ask an admin."
            )
            % {"collection": collection}
        )


class ConsentMissing(JudgingConflict):
    """The person has not agreed to the collection's consent text, or has withdrawn."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            gettext(
                "You have not agreed to the consent text of %(collection)s, so no pair can be "
                "shown or judged. Reload the page to read it."
            )
            % {"collection": collection}
        )


class RevisedMeanwhile(JudgingConflict):
    """The slot's current judgment is not the one that the annotator's page showed."""


class ReadInFull(JudgingConflict):
    """The annotator rates the full texts of this pair, so the judgment of the abstract stays."""


class WasAdmin(JudgingConflict):
    """The annotator was an admin meanwhile, who sees everything in the collection."""


class InPublicVersion(JudgingConflict):
    """Everybody could read the labels since this judgment, so a revision could follow them."""


class KeyReused(JudgingConflict):
    """An idempotency key came with two different answers."""


TOGETHER = 500  # keys in a statement
GUIDELINE_CHANGED = gettext_noop(
    "The guideline of this query changed, so your answer was not saved. Reload the page and judge "
    "the pair again."
)
OF_ANOTHER_ROUND = ("judgment_of_the_round", "repeat_judgment_of_its_repeat")  # triggers' names
CONSENT_RULE = "_after_consent"  # the end of the names of its triggers, on all kinds of judgments
# Triggers that refuse a judgment, by name.
REFUSALS: Mapping[str, tuple[type[JudgingError], str]] = {
    # Of a repeat, too: `repeat_judgment_never_by_an_admin`.
    "judgment_never_by_an_admin": (
        WasAdmin,
        gettext_noop(
            "You were an admin of this collection, so you have seen where its candidates come "
            "from and what others judged, and can no longer judge it."
        ),
    ),
    "judgment_before_full_text": (
        ReadInFull,
        gettext_noop(
            "This pair is in your full-text study, so your judgment of its abstract can no longer "
            "change."
        ),
    ),
    "judgment_before_public_version_stays": (
        InPublicVersion,
        gettext_noop(
            "A version of this collection was made public after you judged this pair, so your "
            "judgment can no longer change. If it is wrong, report an error on the page of that "
            "version."
        ),
    ),
}


@dataclass(frozen=True)
class GradedAnswer:
    """A grade, or a reason why there is none; and a note."""

    grade: int | None = None
    reason: str = ""
    note: str = ""

    noun: ClassVar[str] = "answer"
    without_grade: ClassVar[str] = gettext_noop(
        "The answer has no grade. Give a grade from 0 to %(highest)s or a reason."
    )
    bad: ClassVar[type[UserFacingError]] = BadAnswer

    @classmethod
    def of(cls, row: Any) -> Self:
        """The answer that a judgment, a decision or a rating has stored."""
        return cls(grade=row.grade, reason=row.reason, note=row.note)

    def check(self, highest_grade: int) -> None:
        """Raise `bad` if it is neither, or both, on the scale from 0 to `highest_grade`."""
        either = f"a grade from 0 to {highest_grade} or a reason."
        if self.grade is None and self.reason not in Reason.values:
            raise self.bad(gettext(self.without_grade) % {"highest": highest_grade})
        if self.grade is not None and (not 0 <= self.grade <= highest_grade or self.reason):
            raise self.bad(
                f"Invalid {self.noun}: grade {self.grade} with reason {self.reason!r}. "
                f"Give {either}"
            )


@dataclass(frozen=True)
class Answer(GradedAnswer):
    """A judge's answer. A reason in own words is in the note.

    `aspects` are the numbers of what the match is about, in order. It goes with a grade above 0.
    If they are steps of a method, the details of these can be alike, too.
    """

    aspects: tuple[int, ...] = ()
    details_alike: bool = False

    @classmethod
    def of(cls, row: Any) -> Self:
        return cls(
            *(row.grade, row.reason, row.note),
            aspects=tuple(row.aspects or ()),
            details_alike=bool(row.details_alike),
        )

    def check(self, highest_grade: int) -> None:
        """Raise BadAnswer also if the own words are missing, or aspects of no match are given."""
        super().check(highest_grade)
        if self.aspects and not self.grade:
            raise self.bad(
                gettext("Only a grade above 0 can be about an aspect. Remove the aspects.")
            )
        if self.details_alike and not self.aspects:
            raise self.bad(
                gettext("Only shared steps can have details alike. Mark the steps, too.")
            )
        if self.reason == Reason.OTHER and not self.note.strip():
            raise self.bad(gettext("The note is missing. Write in it why you cannot judge."))


def set_up_collection(
    *,
    slug: str,
    name: str,
    facets: Sequence[FacetPlan] = DEFAULT_FACETS,
    guidelines: Mapping[str, GuidelineText] | None = None,
    grade_names: Sequence[str] = (),
    **settings: Any,
) -> Collection:
    """Create a collection with its facets and a first guideline for each, ready for work.

    `guidelines` replaces the default text of the facets whose keys it has. `grade_names` replaces
    the names of the grades, from grade 0, in all of them; an empty name keeps the default.
    """
    with transaction.atomic():
        collection = create_collection(slug=slug, name=name, facets=facets, **settings)
        for facet in collection.facets.all():
            text = (guidelines or {}).get(facet.key)
            text = text or default_guideline(facet, collection.highest_grade)
            write_guideline(facet=facet, **with_names(text, grade_names))
    return collection


def write_guideline(
    *,
    facet: Facet,
    instructions: str,
    grades: list[GradeMeaning],
    based_on: int | None = None,
) -> Guideline:
    """Add the next version of a facet's guideline; queries already open keep theirs.

    Raises GuidelineChanged if `based_on` is given and is not the newest version.
    """
    with transaction.atomic():
        collection = lock_collection(facet.collection)
        _check_guideline(collection, grades)
        latest = facet.guidelines.first()
        newest = latest.version if latest else 0
        if based_on not in (None, newest):
            raise GuidelineChanged(newest)
        guideline = facet.guidelines.create(
            version=newest + 1, instructions=instructions, grades=grades
        )
        if newest:  # the first one comes with its collection
            record_action(
                kind=ActionKind.GUIDELINE_CHANGED,
                collection=collection,
                subject=about(SubjectKind.FACET, facet.pk, facet.key),
                details={"version": guideline.version},
            )
        return guideline


def _check_guideline(collection: Collection, grades: Sequence[GradeMeaning]) -> None:
    described = [grade.get("grade") for grade in grades]
    if described != list(collection.grades):
        raise JudgingError(
            f"The guideline describes the grades {', '.join(map(str, described)) or 'none'}. The "
            f"scale of {collection.slug} is 0 to {collection.highest_grade}. Describe "
            f"{', '.join(map(str, collection.grades))}, in this order."
        )


def open_query(
    *,
    query: Query,
    annotators: tuple[User, User],
    opened_by: User | None,
    unchecked_labels: bool = False,
    senior_reason: str = "",
) -> Opening:
    """Open a query for judging: freeze its pool and make two slots for every candidate.

    The first annotator gets slot 1 of every pair, the second slot 2; each has an own order.
    With `unchecked_labels` it opens although its query paper has predicted labels that no person
    has checked. Where seniors adjudicate, one of them judges only for a `senior_reason`.

    Raises:
        UncheckedLabels: it has such labels, and `unchecked_labels` is false.
        SeniorsAdjudicate: an annotator is a senior, and there is no `senior_reason`.
        CannotOpen: it is open already, has no pool or no text, or the annotators do not fit.
    """
    try:
        with transaction.atomic():
            collection = lock_collection(query.collection)
            _check_annotators(collection, annotators)
            seniors = seniors_among(collection, annotators, senior_reason)
            query = _query_now(query)
            _check_not_excluded(query, annotators)
            pool = _pool_to_judge(query)
            labels_unchecked = bool(names_with_unchecked_labels([query]))
            if labels_unchecked and not unchecked_labels:
                raise UncheckedLabels([query.name])
            guideline = query.facet.guidelines.first()
            if guideline is None:
                raise CannotOpen(f"The facet {query.facet.key} has no guideline. Write one first.")
            opening = Opening.objects.create(
                query=query,
                guideline=guideline,
                opened_by=opened_by,
                labels_unchecked=labels_unchecked,
                **draw_lot(query)._asdict(),
            )
            for number, annotator in enumerate(annotators, start=1):
                Seat.objects.create(
                    opening=opening,
                    number=number,
                    annotator=annotator,
                    senior_reason=senior_reason if annotator in seniors else "",
                )
            freeze_pool(pool=pool)
            make_slots(
                query=query,
                candidates=candidates_with_texts(pool.candidates.to_judge()),
                annotators=annotators,
                guideline_version=guideline.version,
            )
            for number in (1, 2):
                plan_repeats(query, number)
            record_action(
                kind=ActionKind.QUERY_OPENED,
                collection=collection,
                subject=about(SubjectKind.QUERY, query.pk, query.name),
                details={"reason": senior_reason} if seniors else {},
                by=opened_by,
            )
    except PoolingError as error:
        raise CannotOpen(f"{query.name} cannot be opened. {error}") from error
    except IntegrityError as error:
        raise CannotOpen(f"{query.name} is open for judging already.") from error
    return opening


def open_queries(
    *,
    queries: Sequence[Query],
    annotators: tuple[User, User],
    opened_by: User | None,
    unchecked_labels: bool = False,
    senior_reason: str = "",
) -> list[Opening]:
    """Open all of the queries for judging, or none of them.

    Raises:
        CannotOpen: as `open_query`, at the first query that cannot be opened.
    """
    with transaction.atomic():
        for collection in {query.collection_id: query.collection for query in queries}.values():
            lock_collection(collection)
        return [
            open_query(
                query=query,
                annotators=annotators,
                opened_by=opened_by,
                unchecked_labels=unchecked_labels,
                senior_reason=senior_reason,
            )
            # They are judged in the order of their opening. A random one keeps the facets of a
            # paper apart.
            for query in sorted(
                queries, key=lambda each: order_key(each.collection.seed, "opening", each.name, "")
            )
        ]


def _check_annotators(collection: Collection, annotators: tuple[User, User]) -> None:
    if annotators[0] == annotators[1]:
        raise CannotOpen(f"{annotators[0]} is named twice. Name two different annotators.")
    for annotator in annotators:
        check_annotator(collection, annotator)


def check_annotator(collection: Collection, annotator: User) -> None:
    if not collection.memberships.filter(user=annotator, role__in=JUDGES).exists():
        raise CannotOpen(f"{annotator} is not an annotator of {collection}. Add the role first.")


def seniors_among(
    collection: Collection, annotators: Iterable[User], senior_reason: str
) -> list[User]:
    """Those of the annotators who adjudicate as seniors. Raises SeniorsAdjudicate for no reason."""
    adjudicating = adjudicating_seniors(collection)
    seniors = [person for person in annotators if person.pk in adjudicating]
    if seniors and (fault := fault_of_reason(senior_reason.strip(), "why a senior judges")):
        raise SeniorsAdjudicate(seniors) if not senior_reason.strip() else CannotOpen(fault)
    return seniors


def check_qualified(collection: Collection, person: User) -> None:
    """Raise NotQualified if the person has no live queue yet."""
    if must_qualify(collection, person):
        raise NotQualified(collection)


def _check_not_excluded(query: Query, annotators: Sequence[User]) -> None:
    excluded = query.query_paper.exclusions.filter(annotator__in=annotators).first()
    if excluded is not None and excluded.practised:
        raise CannotOpen(
            f"{excluded.annotator} judged a query of {query.query_paper} in practice, where its "
            "candidates are talked about. Name another annotator."
        )
    if excluded is not None:
        raise CannotOpen(
            f"{excluded.annotator} is excluded from {query.query_paper}. "
            "Name another annotator, or remove the exclusion."
        )


def _query_now(query: Query) -> Query:
    """The query with its facet, paper and document as they are under the lock."""
    related = ("collection", "facet", *SOURCES)
    found = Query.objects.select_related(*related).filter(pk=query.pk).first()
    if found is None:
        raise CannotOpen(f"{query.name} was removed, so it cannot be opened.")
    return found


def _pool_to_judge(query: Query) -> Pool:
    pool = Pool.objects.filter(query_paper=query.query_paper).first()
    if pool is None:
        raise CannotOpen(f"{query.name} has no pool yet. Build the pools first.")
    paper = query.query_paper
    if not paper.source.sentences:
        raise CannotOpen(f"The query paper {paper.name} has no text. Import its text first.")
    if not query.has_text_to_compare:
        raise CannotOpen(f"The query paper {paper.name} has no sentence on {query.facet.key}.")
    if not pool.candidates.to_judge().exists():
        raise CannotOpen(f"The pool of {paper.name} has no candidate to judge.")
    return pool


class CandidateText(NamedTuple):
    """A candidate, and what judges see of its document."""

    pk: int
    docno: str
    title: str
    sentences: Sequence[str]
    labels: Sequence[str]

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateText:
        document = candidate.document
        return cls(
            candidate.pk, document.docno, document.title, document.sentences, document.labels
        )


def candidates_with_texts(candidates: QuerySet[Candidate]) -> list[CandidateText]:
    """The candidates in their order, without the documents' other columns."""
    columns = ("docno", "title", "sentences", "labels")
    rows = candidates.values_list("pk", *(f"document__{column}" for column in columns))
    return [CandidateText(*row) for row in rows]


class NewSlot(NamedTuple):
    """A slot that was just made; `presentation_digest` is its pair's."""

    pk: int
    pair_id: int
    number: int
    annotator_id: int
    docno: str
    presentation_digest: str


def make_slots(
    *,
    query: Query,
    candidates: Sequence[CandidateText],
    annotators: tuple[User, User],
    guideline_version: int,
    others: Mapping[str, tuple[User, User]] | None = None,
) -> list[NewSlot]:
    """Make a pair of every candidate and its two slots; the candidates must have no pairs yet.

    `others` are the annotators of pairs that two other people judged elsewhere, by docno. The slots
    come back by number, then by their place in the annotator's own order.
    """
    seed, shown = query.collection.seed, shown_query(query)
    digests = {
        candidate.pk: presentation_with(query, shown, candidate, guideline_version).digest
        for candidate in candidates
    }
    insert_rows(
        Pair,
        ("query", "candidate", "token", "presentation_digest", "text_changed", "spot_check_number"),
        [
            (
                query.pk,
                candidate.pk,
                order_key(seed, "pair", query.name, candidate.docno)[:16],
                digests[candidate.pk],
                False,
                random_number(seed, "spot-check", query.name, candidate.docno),
            )
            for candidate in candidates
        ],
    )
    pairs = dict(query.pairs.order_by().values_list("candidate", "pk"))
    rows = []
    for number in (1, 2):
        people = [
            (others or {}).get(candidate.docno, annotators)[number - 1] for candidate in candidates
        ]
        of_pairs = {
            candidate.pk: person.pk for candidate, person in zip(candidates, people, strict=True)
        }
        for annotator in {person.pk: person for person in people}.values():
            purpose = f"presentation:{annotator.username}"
            ordered = sorted(
                candidates,
                key=lambda candidate: order_key(seed, purpose, query.name, candidate.docno),
            )
            rows += [
                (pairs[candidate.pk], number, annotator.pk, position, candidate)
                for position, candidate in enumerate(ordered, start=1)
                if of_pairs[candidate.pk] == annotator.pk
            ]
    insert_rows(Slot, ("pair", "number", "annotator", "position"), [row[:-1] for row in rows])
    slots = Slot.objects.filter(pair__query=query).order_by().values_list("pair", "number", "pk")
    keys = {(pair, number): pk for pair, number, pk in slots}
    return [
        NewSlot(
            pk=keys[pair, number],
            pair_id=pair,
            number=number,
            annotator_id=annotator,
            docno=candidate.docno,
            presentation_digest=digests[candidate.pk],
        )
        for pair, number, annotator, _, candidate in rows
    ]


def reassign_seat(
    *, opening: Opening, number: int, annotator: User, senior_reason: str = ""
) -> int:
    """Give a seat to another annotator. Its unjudged slots move; returns how many.

    The new annotator sees the pairs in the same order as if he or she had the seat from the start.

    Raises:
        CannotReassign: the rules of two blind judges forbid it, or nothing is left to judge.
    """
    query = opening.query
    try:
        with transaction.atomic():
            lock_collection(query.collection)
            old_pairs = waiting_old_pairs(query, number)
            if old_pairs:
                lock_slots(query)
            moved = give_seat(
                opening=opening, number=number, annotator=annotator, senior_reason=senior_reason
            )
            if not moved:
                raise CannotReassign(f"All pairs of this seat of {query.name} are judged already.")
            plan_repeats(query, number)
            for pool_round, count in old_pairs.items():
                plan_old_pairs(query, number, annotator, count, pool_round=pool_round)
            if old_pairs:
                renumber(query, annotator)
    except IntegrityError as error:
        raise CannotReassign(
            f"{annotator} judged pairs of {query.name} in the other seat, or decided some. An "
            "annotator judges a pair only once, and none that he or she decided. Name another "
            "annotator."
        ) from error
    return moved


def give_seat(*, opening: Opening, number: int, annotator: User, senior_reason: str = "") -> int:
    """Give a seat and its unjudged slots to another annotator; returns how many these are.

    It may have none, if new pairs come. Needs a transaction that has the collection's lock.

    Raises:
        CannotReassign: the rules of two blind judges forbid it.
        IntegrityError: as `move_slots`.
    """
    query = opening.query
    seats = {seat.number: seat for seat in opening.seats.all()}
    _check_newcomer(query, seats, number, annotator)
    seniors = _seniors_to_seat(query, annotator, senior_reason)
    moved = move_slots(query, number, annotator)
    seats[number].annotator = annotator
    seats[number].senior_reason = senior_reason if seniors else ""
    seats[number].save(update_fields=["annotator", "senior_reason"])
    record_action(
        kind=ActionKind.PAIRS_REASSIGNED,
        collection=query.collection,
        subject=about_person(annotator),
        details={
            **{"query": query.name, "seat": number, "pairs": moved},
            **({"reason": senior_reason} if seniors else {}),
        },
    )
    return moved


def lock_slots(query: Query) -> None:
    """Lock all slots of the query, before anything that changes their counts.

    A repeat of a judged slot refers to it, and so waits for the judge who has locked it. That
    judge then needs the counts (docs/adr/0006-one-lock-order.md).
    """
    slots = Slot.objects.select_for_update(of=("self",)).filter(pair__query=query)
    for _ in slots.order_by("pk").values_list("pk").iterator():
        pass


def waiting_old_pairs(query: Query, number: int) -> dict[int, int]:
    """The number of old pairs that wait for the person of the seat, by pool round."""
    waiting = Repeat.objects.unjudged().filter(
        query=query, slot__number=number, pool_round__gt=1, round=F("query__opening__round")
    )
    return dict(waiting.order_by().values_list("pool_round").annotate(count=Count("pk")))


def _check_newcomer(query: Query, seats: Mapping[int, Seat], number: int, annotator: User) -> None:
    if number not in seats:
        raise CannotReassign(f"{query.name} has no seat {number}. Its seats are 1 and 2.")
    if seats[number].annotator_id == annotator.pk:
        raise CannotReassign(f"{annotator} has this seat already.")
    if annotator.pk in {seat.annotator_id for seat in seats.values()}:
        raise CannotReassign(
            f"{annotator} has the other seat of {query.name}. Name another annotator."
        )
    try:
        check_annotator(query.collection, annotator)
        _check_not_excluded(query, [annotator])
    except CannotOpen as error:
        raise CannotReassign(str(error)) from error


def _seniors_to_seat(query: Query, annotator: User, senior_reason: str) -> list[User]:
    try:
        return seniors_among(query.collection, [annotator], senior_reason)
    except CannotOpen as error:
        raise CannotReassign(str(error)) from error


def check_seat_holder(query: Query, seat: Seat) -> None:
    """Raise CannotReassign unless the person of the seat can still judge."""
    members = query.collection.memberships.filter(user__is_active=True, role__in=JUDGES)
    if not members.filter(user=seat.annotator).exists():
        raise CannotReassign(
            f"{seat.annotator} has slot {seat.number} of {query.name}, but is no annotator of "
            f"{query.collection} who can log in. Name another annotator for this slot."
        )


def move_slots(query: Query, number: int, annotator: User) -> int:
    """Give the unjudged slots of this number to the annotator, in his or her own order.

    They are locked before they are read, so a judgment saved meanwhile keeps its slot. Returns how
    many there are. Needs a transaction.

    Raises:
        IntegrityError: the annotator judged one of the pairs in the other slot, or decided it.
    """
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


def renumber(query: Query, annotator: User) -> None:
    """Give what waits for the annotator, slots and old pairs, its place among all pairs.

    Pairs of a later pool round then stand among those before, in the annotator's own order.
    """
    place = places(query, annotator)
    slots = Slot.objects.for_annotator(annotator).unjudged().filter(pair__query=query).order_by()
    repeats = Repeat.objects.for_annotator(annotator).unjudged()
    repeats = repeats.filter(query=query, pool_round__gt=1).order_by()
    for model, rows in (
        (Slot, slots.values_list("pk", "pair")),
        (Repeat, repeats.values_list("pk", "slot__pair")),
    ):
        update_rows(model, ("position",), [(pk, place[pair]) for pk, pair in rows])


def presentation_of(pair: Pair, guideline_version: int) -> Presentation:
    """The presentation of the pair; needs query, facet, query paper and candidate loaded."""
    candidate = CandidateText.of(pair.candidate)
    return presentation_with(pair.query, shown_query(pair.query), candidate, guideline_version)


def presentation_with(
    query: Query, shown: ShownText, candidate: CandidateText, guideline_version: int
) -> Presentation:
    """The same, with the query's text, which all of its pairs share."""
    return Presentation(
        query_name=query.name,
        facet=query.facet.key,
        query=shown,
        docno=candidate.docno,
        candidate=shown_text(
            candidate.title, candidate.sentences, candidate.labels, query.facet.labels
        ),
        guideline_version=guideline_version,
    )


def shown_query(query: Query) -> ShownText:
    """The query as judges see it; needs facet and query paper with its source loaded."""
    source, labels = query.query_paper.source, query.facet.labels
    if isinstance(source, Topic):
        return shown_topic(
            source.title, source.sentences, source.shown_narrative, has_labels=bool(labels)
        )
    if query.sentence_numbers is not None:
        return shown_with_numbers(source.title, source.sentences, query.sentence_numbers)
    return shown_text(source.title, source.sentences, source.labels, labels)


def submit_judgment(
    *,
    slot_id: int,
    annotator: User,
    answer: Answer,
    presentation_digest: str,
    key: uuid.UUID,
    supersedes: uuid.UUID | None,
    seconds: float | None = None,
    rows: JudgedRows = SLOTS,
) -> GivenJudgment:
    """Append a judgment to the annotator's slot; the latest counts.

    With REPEATS as `rows`, `slot_id` is that of a repeat. Its judgments count nowhere; each is
    stored with the judgment that the slot shows now, with which it is compared.

    `supersedes` is the key of the slot's judgment that the annotator saw, None when there was none.
    A page that shows an older judgment, or one that was never saved, cannot overwrite the current
    one. With a count of judgments it could: a client that retries after a refusal soon hits it.
    The same `key` again returns the first judgment.

    Raises:
        NotYours, ConsentMissing, NotQualified, BadAnswer, WrongPresentation, RevisedMeanwhile
        WasAdmin, ReadInFull, InPublicVersion, KeyReused, CollectionArchived
    """
    try:
        with transaction.atomic():
            slot = lock_slot(slot_id, rows)
            if slot is None or slot.annotator_id != annotator.pk:
                raise NotYours(gettext("This pair is not assigned to you."))
            if slot.is_archived:
                raise CollectionArchived(Collection.objects.get(pk=slot.collection_id))
            if slot.must_consent:
                raise ConsentMissing(Collection.objects.get(pk=slot.collection_id))
            if slot.must_qualify:
                raise NotQualified(Collection.objects.get(pk=slot.collection_id))
            answer.check(slot.highest_grade)
            if slot.must_read:
                raise UnreadGuideline(
                    gettext(
                        "Version %(version)s of the guideline is new to you, so your answer was "
                        "not saved. Reload the page, read it, and judge the pair."
                    )
                    % {"version": slot.guideline_version}
                )
            current, current_key = _current(slot, rows)
            if current_key != supersedes:
                earlier = rows.model.objects.filter(key=key).first()
                if earlier is not None:
                    return _same_submission(earlier, rows, slot_id, answer)
            if presentation_digest != _digest_now(slot):
                raise WrongPresentation(
                    gettext(
                        "The text of this pair changed, so your answer was not saved. "
                        "Reload the page and judge the pair again."
                    )
                )
            if current_key is None and supersedes is not None:
                raise RevisedMeanwhile(
                    gettext(
                        "This pair is to be judged again, so this answer was not saved. "
                        "Reload the page and judge the pair."
                    )
                )
            if current_key != supersedes:
                raise RevisedMeanwhile(
                    gettext(
                        "You judged this pair in another window, so this answer was not saved. "
                        "Reload the page to change that judgment."
                    )
                )
            if answer.aspects:
                _check_aspects(slot, answer)
            judgment = insert_judgment(
                rows,
                **{rows.owner: slot.pk},
                sequence=(current or slot.last_sequence or 0) + 1,
                annotator_id=slot.annotator_id,
                grade=answer.grade,
                reason=answer.reason,
                note=answer.note,
                aspects=list(answer.aspects) if slot.marks_aspects else None,
                **_compared_steps(slot, answer),
                presentation_digest=presentation_digest,
                guideline_version=slot.guideline_version,
                round=slot.round,
                key=key,
                seconds=seconds,
                created_at=timezone.now(),
                **_compared(slot, rows),
            )
            if not show_judgment(slot, judgment.pk, rows):
                check_not_archived(Collection.objects.get(pk=slot.collection_id))
                raise WrongPresentation(gettext(GUIDELINE_CHANGED))
    except IntegrityError as error:
        if any(rule in str(error) for rule in OF_ANOTHER_ROUND):
            raise WrongPresentation(gettext(GUIDELINE_CHANGED)) from error
        if CONSENT_RULE in str(error):  # the text changed since the slot was locked
            collection = Collection.objects.get(pk=slot.collection_id)  # type: ignore[union-attr]
            raise ConsentMissing(collection) from error
        for rule, (refusal, message) in REFUSALS.items():
            if rule in str(error):
                raise refusal(
                    " ".join((gettext(message), gettext("Nothing was saved.")))
                ) from error
        earlier = rows.model.objects.filter(key=key).first()
        if earlier is None:
            raise
        return _same_submission(earlier, rows, slot_id, answer, cause=error)
    return judgment


def _compared(slot: LockedSlot, rows: JudgedRows) -> dict[str, int | None]:
    """The columns of a repeat's judgment that say what it is compared with."""
    if rows is not REPEATS:
        return {}
    return dict(zip(("compared_id", "distance"), compared_by(slot), strict=True))


def _compared_steps(slot: LockedSlot, answer: Answer) -> dict[str, bool | int | None]:
    """The columns about the query's steps. A first judgment above 0 gets the proposal."""
    if slot.proposal_steps is None:
        return {"details_alike": None, "proposed_grade": None}
    proposed = None
    if answer.grade and slot.judgment_id is None:
        proposed = proposed_grade(
            len(answer.aspects), slot.proposal_steps, details_alike=answer.details_alike
        )
    return {"details_alike": answer.details_alike, "proposed_grade": proposed}


def _current(slot: LockedSlot, rows: JudgedRows) -> tuple[int | None, uuid.UUID | None]:
    """Sequence and key of the judgment that the slot shows; None for both if it shows none."""
    if slot.judgment_id is None:
        return None, None
    shown = rows.model.objects.filter(pk=slot.judgment_id)
    return shown.values_list("sequence", "key").get()


def _same_submission(
    earlier: GivenJudgment,
    rows: JudgedRows,
    slot_id: int,
    answer: Answer,
    cause: Exception | None = None,
) -> GivenJudgment:
    if (getattr(earlier, rows.owner), Answer.of(earlier)) != (slot_id, answer):
        raise KeyReused(
            gettext("This page was already used for another answer. Reload it.")
        ) from cause
    return earlier


def _check_aspects(slot: LockedSlot, answer: Answer) -> None:
    """Raise BadAnswer for aspects that the query, as it is shown, does not have."""
    if answer.details_alike and slot.proposal_steps is None:
        raise BadAnswer("This query does not ask for details of steps. Remove details_alike.")
    numbers = answer.aspects
    if not slot.marks_aspects:
        raise BadAnswer(
            gettext(
                "This collection does not ask for aspects, so your answer was not saved. "
                "Reload the page and judge the pair again."
            )
        )
    query = Query.objects.select_related("facet", *SOURCES).get(pk=slot.query_id)
    known = {aspect.number for aspect in aspects_of(shown_query(query), query.aspect_names)}
    unknown = [number for number in numbers if number not in known]
    if unknown:
        has = f"It has {', '.join(map(str, sorted(known)))}." if known else "It has none."
        raise BadAnswer(f"{query.name} has no aspect {unknown[0]}. {has}")
    if list(numbers) != sorted(set(numbers)):
        raise BadAnswer("Give each aspect once, in order.")


def _digest_now(slot: LockedSlot) -> str:
    """The digest of what the pair shows now: the stored one, unless a text changed since."""
    if slot.presentation_digest and not slot.text_changed:
        return slot.presentation_digest
    shown = Pair.objects.select_related(
        "query__facet",
        "query__opening__guideline",
        *(f"query__{source}" for source in SOURCES),
        "candidate__document",
    ).get(pk=slot.pair_id)
    return presentation_of(shown, shown.query.opening.guideline.version).digest


class NewJudgment(NamedTuple):
    """A judgment to import. The names are those of the columns."""

    slot: int
    annotator: int
    grade: int | None
    reason: str
    presentation_digest: str
    guideline_version: int
    key: str
    round: int = 1
    sequence: int = 1
    note: str = ""
    seconds: float | None = None
    aspects: str | None = None  # as JSON
    is_imported: bool = True


def insert_judgments(judgments: Iterable[NewJudgment]) -> dict[int, int]:
    """Insert imported judgments into unjudged slots. They count from then on.

    Their pairs do not come again: the people gave these answers elsewhere.

    Returns the new judgments by slot.
    """
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    rows = [(*judgment, now) for judgment in judgments]
    newest = Judgment.objects.aggregate(newest=Max("pk"))["newest"] or 0
    insert_rows(Judgment, (*NewJudgment._fields, "created_at"), rows)
    # By their keys alone: with a filter of slots, SQLite read every unjudged slot of the database.
    new = Judgment.objects.filter(pk__gt=newest).order_by().values_list("slot", "pk")
    filled = {slot for slot, *_ in rows}  # others may be judged meanwhile
    inserted = {slot: pk for slot, pk in new if slot in filled}
    update_rows(Slot, ("judgment",), list(inserted.items()))
    for some in batched(list(inserted), TOGETHER):
        Repeat.objects.unjudged().filter(slot__in=some).delete()
    return inserted


def postpone(*, slot_id: int, annotator: User, rows: JudgedRows = SLOTS) -> None:
    """Put an unjudged pair, or a repeat, behind all the others of its query ("later")."""
    own: SlotQuerySet | RepeatQuerySet = (
        Repeat.objects.for_annotator(annotator).shown()
        if rows is REPEATS
        else Slot.objects.for_annotator(annotator)
    )
    own = own.unjudged().filter(pk=slot_id)
    path = "query" if rows is REPEATS else "pair__query"
    collection = Collection.objects.filter(pk__in=own.values(f"{path}__collection")).first()
    if collection is not None:
        check_not_archived(collection)
    if not own.update(postponed_at=timezone.now()):
        raise NotYours(gettext("Only your own unjudged pairs can be postponed."))
