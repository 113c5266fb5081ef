"""Reads the questions that the adjudicator's pages show, without the pairs that he or she judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet

from accounts.models import Collection, User
from adjudication.models import Case, Recipient, Referral
from adjudication.queue import ShownCase, ShownJudgment, judgments_on_page
from annotation.models import PairQuestion, Wording
from annotation.presentation import Sentence, ShownTopic
from corpus.models import Query


def open_questions_of(collection: Collection, user: User) -> QuerySet[Any]:
    """The open questions to other people, in the order in which they were asked."""
    foreign = Case.objects.for_adjudicator(user).filter(pk=OuterRef("pair"))
    rows = PairQuestion.objects.of(collection).open().filter(Exists(foreign))
    return rows.select_related("pair__query__facet", "pair__candidate__document").order_by("pk")


def questions_that_count() -> QuerySet[Any]:
    """Those asked since their pair was last given to two judges: at most one of each pair.

    One that was taken back is among them, because a judge may have answered it.
    """
    again = Referral.objects.filter(
        pair=OuterRef("pair"), recipient=Recipient.JUDGES, first__gte=OuterRef("first")
    )
    return PairQuestion.objects.filter(
        ~Exists(again), first__round=F("pair__query__opening__round")
    )


@dataclass(frozen=True)
class Asking:
    """What a case page says of questions. `before` has the judgments asked about, by letter."""

    may_ask: bool
    before: Mapping[str, ShownJudgment]
    query_sentences: tuple[Sentence, ...]
    wordings: list[tuple[str, str]]


def asking_of(query: Query, shown: ShownCase) -> Asking:
    asked = (
        questions_that_count()
        .filter(pair__query=query, pair__token=shown.token)
        .select_related("pair__candidate__document")
        .first()
    )
    before: tuple[ShownJudgment, ...] = ()
    if asked is not None:
        before = judgments_on_page(query, asked.pair, (asked.first_id, asked.second_id))
    return Asking(
        may_ask=not asked and not shown.decision and query.collection.highest_grade > 1,
        before={card.letter: card for card in before},
        # All of a topic is shown as one text, so no sentence of it can be marked.
        query_sentences=() if isinstance(shown.query, ShownTopic) else shown.query.sentences,
        wordings=Wording.choices,
    )
