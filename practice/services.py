"""Everything that writes practice sets and their judgments."""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from accounts.locking import check_not_archived, lock_collection
from accounts.models import JUDGES, Collection, User
from annotation.appending import Refusals, Submission, append_answer
from annotation.consent.services import check_consent
from annotation.guidelines.readings import must_read
from annotation.models import Exclusion, Guideline, Seat, Slot
from annotation.services import (
    CONSENT_RULE,
    ConsentMissing,
    JudgingConflict,
    KeyReused,
    NotYours,
    RevisedMeanwhile,
    UnreadGuideline,
    WrongPresentation,
    check_annotator,
)
from corpus.models import Document, Facet, Query
from corpus.ordering import order_key
from database.bulk import insert_rows
from practice.models import (
    PracticeJudgment,
    PracticeKind,
    PracticeMember,
    PracticePair,
    PracticeSet,
)
from practice.presentations import presentation_of_pair

MOST_MEMBERS = 50
MOST_PAIRS = 1_000


class CannotPractise(JudgingConflict):
    """The set cannot be made, or given to this person, as asked."""


class PracticeClosed(JudgingConflict):
    """The set takes no more judgments, of anyone or of this person."""


class HasJudgments(JudgingConflict):
    """The set has judgments, so it stays."""


class NewPair(NamedTuple):
    """A pair of a new set. `gold` and `explanation` are for training."""

    query: Query
    document: Document
    gold: int | None = None
    explanation: str = ""


def make_set(
    *,
    collection: Collection,
    kind: PracticeKind,
    pairs: Sequence[NewPair],
    parameters: dict[str, Any],
    created_by: User | None,
) -> PracticeSet:
    """Make the next set of this kind, judged by the newest guideline of each facet.

    Call it within a transaction that holds the collection's lock, and add its members afterwards.

    Raises:
        CannotPractise: it has no pairs or too many, or a facet has no guideline.
    """
    if not 0 < len(pairs) <= MOST_PAIRS:
        raise CannotPractise(
            f"A set has 1 to {MOST_PAIRS:,} pairs, got {len(pairs):,}. Choose "
            f"{'fewer' if pairs else 'more'} queries or candidates."
        )
    newest = collection.practice_sets.filter(kind=kind).aggregate(newest=Max("number"))["newest"]
    practice_set = collection.practice_sets.create(
        kind=kind,
        number=(newest or 0) + 1,
        seed=collection.seed,
        highest_grade=collection.highest_grade,
        parameters=parameters,
        created_by=created_by,
    )
    facets = {pair.query.facet_id for pair in pairs}
    for guideline in _newest_guidelines(facets):
        practice_set.guidelines.create(guideline=guideline)
    insert_rows(
        PracticePair,
        ("practice_set", "query", "document", "token", "gold", "explanation"),
        [
            (
                practice_set.pk,
                pair.query.pk,
                pair.document.pk,
                order_key(
                    practice_set.seed, practice_set.name, pair.query.name, pair.document.docno
                )[:16],
                pair.gold,
                pair.explanation,
            )
            for pair in pairs
        ],
    )
    return practice_set


def _newest_guidelines(facets: Container[int]) -> list[Guideline]:
    guidelines = []
    for facet in Facet.objects.filter(pk__in=facets):
        guideline = facet.guidelines.first()
        if guideline is None:
            raise CannotPractise(f"The facet {facet.key} has no guideline. Write one first.")
        guidelines.append(guideline)
    return guidelines


def add_members(*, practice_set: PracticeSet, annotators: Sequence[User]) -> None:
    """Let these people judge the pairs of the set, and exclude them from its query papers.

    They will talk about the pairs with others. So they never get a seat of a query of these query
    papers. Call it within a transaction that holds the collection's lock.

    Raises:
        CannotPractise: one of them is no annotator here, or has a seat in such a query.
    """
    if len(annotators) > MOST_MEMBERS:
        raise CannotPractise(f"A set has at most {MOST_MEMBERS} members, got {len(annotators)}.")
    for annotator in annotators:
        check_annotator(practice_set.collection, annotator)
    papers = _query_papers(practice_set)
    _check_no_seats(papers, annotators)
    for annotator in annotators:
        have = set(
            Exclusion.objects.filter(annotator=annotator, query_paper__in=papers).values_list(
                "query_paper", flat=True
            )
        )
        Exclusion.objects.bulk_create(
            Exclusion(query_paper_id=paper, annotator=annotator, practised=True)
            for paper in papers
            if paper not in have
        )
    PracticeMember.objects.bulk_create(
        PracticeMember(practice_set=practice_set, annotator=annotator) for annotator in annotators
    )


def _query_papers(practice_set: PracticeSet) -> list[int]:
    papers = practice_set.pairs.order_by("query__query_paper")
    return list(papers.values_list("query__query_paper", flat=True).distinct())


def _check_no_seats(papers: Sequence[int], annotators: Sequence[User]) -> None:
    """Neither seats nor slots, which a seat that was given away leaves behind."""
    seat = (
        Seat.objects.filter(opening__query__query_paper__in=papers, annotator__in=annotators)
        .select_related("annotator", "opening__query")
        .first()
    )
    slot = (
        seat
        or Slot.objects.filter(pair__query__query_paper__in=papers, annotator__in=annotators)
        .select_related("annotator", "pair__query")
        .order_by()
        .first()
    )
    if slot is not None:
        query = slot.opening.query if isinstance(slot, Seat) else slot.pair.query
        raise CannotPractise(
            f"{slot.annotator} judges {query.name} already, and would talk about candidates "
            f"of {query.query_paper} with others. Choose other queries or another annotator."
        )


def close_set(*, practice_set: PracticeSet) -> None:
    """Take no more judgments. Does nothing if the set is closed."""
    with transaction.atomic():
        lock_collection(practice_set.collection)
        _lock_members(practice_set)
        PracticeSet.objects.filter(pk=practice_set.pk, closed_at=None).update(
            closed_at=timezone.now()
        )


def remove_set(*, practice_set: PracticeSet) -> None:
    """Remove a set without judgments. Its members may judge its queries again.

    Raises:
        HasJudgments: a pair of it is judged.
    """
    with transaction.atomic():
        lock_collection(practice_set.collection)
        members = _lock_members(practice_set)
        if PracticeJudgment.objects.filter(pair__practice_set=practice_set).exists():
            raise HasJudgments(
                f"{practice_set} has judgments, which are never deleted. Close it instead."
            )
        papers = _query_papers(practice_set)
        practice_set.delete()
        practised = PracticeMember.objects.filter(
            annotator=OuterRef("annotator"),
            practice_set__pairs__query__query_paper=OuterRef("query_paper"),
        )
        Exclusion.objects.filter(
            ~Exists(practised), practised=True, annotator__in=members, query_paper__in=papers
        ).delete()


def _lock_members(practice_set: PracticeSet) -> list[int]:
    """Their annotators. Every judgment locks its member, so that none is being saved."""
    members = practice_set.members.select_for_update(of=("self",)).order_by("pk")
    return list(members.values_list("annotator", flat=True))


REFUSALS = Refusals(
    text_changed=WrongPresentation(
        gettext_lazy(
            "The text of this pair changed, so your answer was not saved. "
            "Reload the page and judge the pair again."
        )
    ),
    answered_meanwhile=RevisedMeanwhile(
        gettext_lazy(
            "You judged this pair in another window, so this answer was not saved. "
            "Reload the page to change that judgment."
        )
    ),
    key_reused=KeyReused(gettext_lazy("This page was already used for another answer. Reload it.")),
)


def submit_practice(*, pair_id: int, annotator: User, submission: Submission) -> PracticeJudgment:
    """Append a judgment of a member; the latest counts.

    Raises:
        NotYours, BadAnswer, ConsentMissing, UnreadGuideline, PracticeClosed, WrongPresentation
        RevisedMeanwhile, KeyReused, CollectionArchived
    """
    try:
        with transaction.atomic():
            member = _locked_member(pair_id, annotator)
            # Asked after the lock, because the set may have been closed meanwhile.
            pair = PracticePair.objects.select_related("practice_set__collection", "document").get(
                pk=pair_id
            )
            check_not_archived(pair.practice_set.collection)
            submission.answer.check(pair.practice_set.highest_grade)
            guideline, presentation = presentation_of_pair(pair)

            def digest_now() -> str:
                _check_takes_answers(pair.practice_set, member)
                check_consent(pair.practice_set.collection, annotator)
                _check_read(guideline, annotator)
                return presentation.digest

            return append_answer(
                PracticeJudgment.objects.filter(pair=pair, annotator=annotator),
                submission,
                digest_now=digest_now,
                refusals=REFUSALS,
                pair=pair,
                annotator=annotator,
                guideline_version=guideline.version,
            )
    except IntegrityError as error:
        if CONSENT_RULE in str(error):  # the text changed since it was checked
            raise ConsentMissing(pair.practice_set.collection) from error
        # The key's first answer was in another set, whose member this transaction did not lock.
        if not PracticeJudgment.objects.filter(key=submission.key).exists():
            raise
        raise REFUSALS.key_reused from error


def _locked_member(pair_id: int, annotator: User) -> PracticeMember:
    """The membership, locked. It orders all answers of this person in this set."""
    roles = annotator.memberships.filter(
        role__in=JUDGES, collection=OuterRef("practice_set__collection")
    )
    member = (
        PracticeMember.objects.select_for_update(of=("self",))
        .filter(Exists(roles), annotator=annotator, practice_set__pairs=pair_id)
        .order_by()
        .first()
    )
    if member is None:
        raise NotYours(gettext("This pair is not in a set of yours."))
    return member


def _check_takes_answers(practice_set: PracticeSet, member: PracticeMember) -> None:
    if practice_set.is_closed:
        raise PracticeClosed(
            gettext("%(title)s is closed, so your answer was not saved.") % {"title": practice_set}
        )
    if member.finished_at:
        raise PracticeClosed(
            gettext("You have finished %(title)s, so your answer was not saved.")
            % {"title": practice_set}
        )


def _check_read(guideline: Guideline, annotator: User) -> None:
    if must_read(guideline, annotator):
        raise UnreadGuideline(
            gettext(
                "Version %(version)s of the guideline is new to you, so your answer was not "
                "saved. Reload the page, read it, and judge the pair."
            )
            % {"version": guideline.version}
        )
