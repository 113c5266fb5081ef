"""Reads the questions that the adjudicator's pages show, but for pairs that he or she judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from accounts.models import Collection, User
from adjudication.models import Case
from adjudication.questions.counted import questions_that_count
from adjudication.queue import ShownCase, ShownJudgment, judgments_on_page
from annotation.models import PairQuestion, PairQuestionQuerySet, Wording
from annotation.presentation import Sentence, ShownTopic
from corpus.models import Query


def questions_to_others(collection: Collection, user: User) -> PairQuestionQuerySet:
    """Those on pairs that the adjudicator may decide, in the order in which they were asked."""
    foreign = Case.objects.for_adjudicator(user).filter(pk=OuterRef("pair"))
    return PairQuestion.objects.of(collection).filter(Exists(foreign)).order_by("pk")


@dataclass(frozen=True)
class CaseQuestions:
    """The part of a case page about questions. `before` has the judgments before, by letter."""

    may_ask: bool
    before: Mapping[str, ShownJudgment]
    query_sentences: tuple[Sentence, ...]
    wordings: list[tuple[str, Any]]


def asking_of(query: Query, shown: ShownCase) -> CaseQuestions:
    asked = (
        questions_that_count()
        .filter(pair__query=query, pair__token=shown.token)
        .select_related("pair__candidate__document")
        .first()
    )
    before: tuple[ShownJudgment, ...] = ()
    # Who has to grade the case blind may see no judgment of it, also none from before a question.
    if asked is not None and not shown.is_blind:
        before = judgments_on_page(query, asked.pair, (asked.first_id, asked.second_id))
    return CaseQuestions(
        may_ask=not (asked or shown.decision or shown.is_blind)
        and query.collection.highest_grade > 1,
        before={card.letter: card for card in before},
        # All of a topic is shown as one text, so no sentence of it can be marked.
        query_sentences=() if isinstance(shown.query, ShownTopic) else shown.query.sentences,
        wordings=Wording.choices,
    )
