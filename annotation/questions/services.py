"""A judge's answer to a question that keeps the judgment. Another judgment is an answer, too."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils.translation import gettext

from accounts.locking import check_not_archived
from accounts.models import User
from annotation.models import KeptAnswer, PairQuestion, Slot
from annotation.services import JudgingConflict, NotYours, RevisedMeanwhile


class NoOpenQuestion(JudgingConflict):
    """The question was taken back, or no longer applies to the judgment."""


def keep_judgment(*, question_id: int, annotator: User, judgment_key: uuid.UUID) -> KeptAnswer:
    """Answer the question by keeping one's own judgment, the one that the page showed.

    The same answer again returns the first one. What the other judge did changes no outcome.

    Raises:
        NotYours, NoOpenQuestion, RevisedMeanwhile, CollectionArchived
    """
    with transaction.atomic():
        question = (
            PairQuestion.objects.filter(pk=question_id)
            .select_related("pair__query__collection", "first", "second")
            .first()
        )
        judgments = (question.first, question.second) if question else ()
        own = next((row for row in judgments if row.annotator_id == annotator.pk), None)
        if question is None or own is None:
            raise NotYours(gettext("This question is not for you."))
        # Both slots, because the last answer makes the case due: the other judge may give one now.
        slots = dict(
            Slot.objects.select_for_update(of=("self",))
            .filter(pair=question.pair_id)
            .order_by("number")
            .values_list("annotator", "judgment")
        )
        question.pair.query.collection.refresh_from_db()
        check_not_archived(question.pair.query.collection)
        earlier = KeptAnswer.objects.filter(question=question, judgment=own).first()
        if earlier is not None and own.key == judgment_key:
            return earlier
        question.refresh_from_db(fields=["taken_back_at"])
        if question.taken_back_at is not None or annotator.pk not in slots:
            raise NoOpenQuestion(
                gettext("This question was taken back, so you need not answer it.")
            )
        if own.key != judgment_key or slots[annotator.pk] != own.pk:
            raise RevisedMeanwhile(
                gettext(
                    "Your judgment of this pair changed in another window, so this answer was not "
                    "saved. It is answered by that change."
                )
            )
        return KeptAnswer.objects.create(question=question, judgment=own)
