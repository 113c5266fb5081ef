"""Ask the judges of a case, or take the question back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.locking import check_not_archived
from accounts.models import JUDGES, Role, User
from adjudication.blind.reading import must_rate_first
from adjudication.claims.services import check_not_claimed, lock_pair, release_claim
from adjudication.errors import (
    AdjudicationConflict,
    AdjudicationError,
    JudgedByYou,
    JudgmentsChanged,
    NoSuchCase,
    NotRatedBlind,
)
from adjudication.models import Case
from adjudication.tiers import check_senior
from annotation.models import Pair, PairQuestion, Wording
from annotation.presentation import ShownTopic
from annotation.services import shown_query
from corpus.models import SOURCES


class CannotAsk(AdjudicationConflict):
    """The state of the pair or its judges forbids a question."""


class BadQuestion(AdjudicationError):
    """The words of the question or its marked sentences do not fit."""


class CannotTakeBack(AdjudicationConflict):
    """The question is answered, or was taken back before."""


# Triggers that refuse a question, by name.
REFUSALS: Mapping[str, str] = {
    "question_once": (
        gettext_noop(
            "The judges of this pair were asked before. A second question would tell a judge who "
            "kept the judgment that the other one changed it. Decide the case."
        )
    ),
    "question_with_three_grades": (
        gettext_noop(
            "This collection has two grades, so a question would tell each judge the grade of the "
            "other. Decide the case."
        )
    ),
    "question_before_public_version": (
        gettext_noop(
            "A version of this collection was made public after this pair was judged, so its "
            "judgments can no longer change. Decide the case."
        )
    ),
    "question_on_a_pair_in_a_study": (
        gettext_noop(
            "A judge of this pair has it in a full-text study, so that judgment of the abstract "
            "can no longer change. Decide the case."
        )
    ),
}


def ask_judges(
    *,
    pair_id: int,
    asked_by: User,
    wording: str,
    judgment_ids: tuple[int, int],
    query_sentences: Iterable[int] = (),
    candidate_sentences: Iterable[int] = (),
) -> PairQuestion:
    """Ask both judges of a due case to look at it again. It waits until both have answered.

    `judgment_ids` are the two judgments (slot 1, slot 2) that the adjudicator's page showed. The
    sentences are those to mark, by their numbers from 1.

    Raises:
        BadQuestion, NoSuchCase, JudgedByYou, JudgmentsChanged, ClaimedByAnother, NotRatedBlind,
        NotSenior, CannotAsk, CollectionArchived
    """
    marked = sorted(set(query_sentences)), sorted(set(candidate_sentences))
    if wording not in Wording.values:
        raise BadQuestion(f'Unknown wording "{wording}". Use {", ".join(Wording.values)}.')
    try:
        with transaction.atomic():
            pair = _locked_pair(pair_id, asked_by)
            _check_numbers(pair, *marked)
            _check_case(pair, judgment_ids, asked_by)
            _check_judges(pair)
            release_claim(pair_id=pair_id, adjudicator_id=asked_by.pk)
            return PairQuestion.objects.create(
                pair=pair,
                first_id=judgment_ids[0],
                second_id=judgment_ids[1],
                wording=wording,
                query_sentences=marked[0],
                candidate_sentences=marked[1],
                asked_by=asked_by,
            )
    except IntegrityError as error:
        for rule, message in REFUSALS.items():
            if rule in str(error):
                sentences = (gettext(message), gettext("No question was sent."))
                raise CannotAsk(" ".join(sentences)) from error
        if "question_not_by_a_judge" in str(error):
            raise JudgedByYou(
                gettext("You judged this pair, so another adjudicator asks.")
            ) from error
        raise


def take_back(*, question: PairQuestion, taken_back_by: User) -> None:
    """End an open question. If the pair still is a case, it is due again.

    Raises:
        CannotTakeBack, JudgedByYou, NotSenior, CollectionArchived
    """
    with transaction.atomic():
        _locked_pair(question.pair_id, taken_back_by)
        if not PairQuestion.objects.open().filter(pk=question.pk).exists():
            raise CannotTakeBack(
                gettext(
                    "This question is not open any more: both judges answered, the pair is judged "
                    "again, or it was taken back."
                )
            )
        PairQuestion.objects.filter(pk=question.pk).update(taken_back_at=timezone.now())


def _locked_pair(pair_id: int, person: User) -> Pair:
    """The pair, whose two slots are locked, as for a decision."""
    lock_pair(pair_id, person.pk)
    related = ("query__collection", "query__facet", *(f"query__{source}" for source in SOURCES))
    pair = Pair.objects.select_related(*related, "candidate__document").get(pk=pair_id)
    check_not_archived(pair.query.collection)
    check_senior(pair.query.collection, person)
    return pair


def _check_numbers(pair: Pair, query_sentences: list[int], candidate_sentences: list[int]) -> None:
    shown = shown_query(pair.query)
    of_query = 0 if isinstance(shown, ShownTopic) else len(shown.sentences)
    of_candidate = len(pair.candidate.document.sentences)
    for side, numbers, number_of_sentences in (
        ("query", query_sentences, of_query),
        ("candidate", candidate_sentences, of_candidate),
    ):
        for number in numbers:
            if not 1 <= number <= number_of_sentences:
                raise BadQuestion(
                    f"The {side} has no sentence {number} to mark. "
                    f"It has {number_of_sentences or 'no'} sentences."
                )


def _check_case(pair: Pair, judgment_ids: tuple[int, int], asked_by: User) -> None:
    case: Any = Case.objects.undecided().filter(pk=pair.pk).first()
    if case is None:
        raise NoSuchCase(
            gettext("This pair needs no decision any more, so its judges were not asked.")
        )
    if judgment_ids != (case.first, case.second):
        raise JudgmentsChanged(
            gettext(
                "A judge revised a judgment of this pair meanwhile, so no question was sent. "
                "Reload the page to see both judgments."
            )
        )
    check_not_claimed(pair.pk, asked_by.pk)
    if must_rate_first(pair.query.collection, case, asked_by.pk):
        raise NotRatedBlind(
            gettext(
                "In this collection you grade a case before you see the two judgments, so no "
                "question was sent. Reload the page and give your grade."
            )
        )


def _check_judges(pair: Pair) -> None:
    """Both must be able to answer."""
    collection = pair.query.collection
    members = collection.memberships.filter(role__in=JUDGES, user__is_active=True)
    able = members.exclude(user__in=collection.given_roles.filter(role=Role.ADMIN).values("user"))
    if able.filter(user__in=pair.slots.values("annotator")).count() < 2:
        raise CannotAsk(
            gettext(
                "A judge of this pair is no annotator of this collection any more or cannot log "
                "in, so no question was sent. Decide the case."
            )
        )
