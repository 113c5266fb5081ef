"""Scenes with hidden repeats."""

from __future__ import annotations

import uuid

from accounts.models import Collection, User
from annotation.models import Opening, Repeat, RepeatJudgment, Slot
from annotation.queue import next_token, own_slot, shown_pair
from annotation.services import Answer, submit_judgment
from annotation.slot_sql import REPEATS
from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import digest_of, judge


def a_collection_with_repeats(share: float = 0.5, **settings: object) -> Collection:
    collection = a_collection(**settings)
    Collection.objects.filter(pk=collection.pk).update(repeat_share=share)
    collection.refresh_from_db()
    return collection


def an_open_query_with_repeats(share: float = 0.5, size: int = 6) -> Opening:
    return an_open_query(a_collection_with_repeats(share), size=size)


def repeats_of(opening: Opening, username: str = "ann1") -> list[Repeat]:
    rows = Repeat.objects.filter(query=opening.query, annotator__username=username)
    return list(rows.select_related("slot__pair", "annotator").order_by("pk"))


def answer_repeat(
    repeat: Repeat, grade: int | None, *, shown_for: Slot | None = None, **changes: object
) -> RepeatJudgment:
    """Answer it, as `shown_for` its slot shows the pair: read again if the guideline may change."""
    repeat = Repeat.objects.select_related("annotator", "judgment", "slot").get(pk=repeat.pk)
    return submit_judgment(
        **{
            "slot_id": repeat.pk,
            "annotator": repeat.annotator,
            "answer": Answer(grade=grade) if grade is not None else Answer(reason="garbled"),
            "presentation_digest": digest_of(shown_for or repeat.slot),
            "key": uuid.uuid4(),
            "supersedes": repeat.judgment.key if repeat.judgment else None,
            "rows": REPEATS,
        }
        | changes
    )


def answer_next(opening: Opening, person: User, grade: int = 1) -> str | None:
    """Judge what the person gets next, and return its token."""
    token = next_token(opening.query.pk, person)
    if token is not None:
        answer_token(opening, person, token, grade)
    return token


def answer_token(opening: Opening, person: User, token: str, grade: int = 1) -> None:
    query = opening.query
    place = own_slot(query.collection.slug, person, query.name, token)
    pair = shown_pair(query, person, token)
    submit_judgment(
        slot_id=place.pk,
        annotator=person,
        answer=Answer(grade=grade),
        presentation_digest=pair.presentation,
        key=uuid.uuid4(),
        supersedes=pair.judgment_key,
        seconds=5,
        rows=place.rows,
    )


def answer_all(opening: Opening, username: str, grade: int = 1) -> list[str]:
    """The tokens in the order in which the person got them."""
    person = User.objects.get(username=username)
    tokens = []
    while token := answer_next(opening, person, grade):
        tokens.append(token)
    return tokens


def judge_slot_of(repeat: Repeat, grade: int) -> None:
    judge(Slot.objects.select_related("pair__query", "annotator").get(pk=repeat.slot_id), grade)
