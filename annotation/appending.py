"""Appends an answer to those of a person on a pair, for answers that stand in no slot.

No aspects are stored with them.

Ratings of full texts and judgments in practice are such answers. The caller locks what orders the
answers of the person: a study, or a membership of a practice set.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from django.db import models

from annotation.models import AppendedAnswer
from annotation.services import Answer
from web.errors import UserFacingError

Row = TypeVar("Row", bound=AppendedAnswer)


@dataclass(frozen=True)
class Submission:
    """An answer as a page sends it, with the digest of the text it showed, and its keys.

    `supersedes` is the key of the answer that the page showed, None if it showed none.
    """

    answer: Answer
    presentation_digest: str
    key: uuid.UUID
    supersedes: uuid.UUID | None
    seconds: float | None = None


class Refusals(NamedTuple):
    """The errors to raise, with a message for the person who answered."""

    text_changed: UserFacingError
    answered_meanwhile: UserFacingError
    key_reused: UserFacingError


def append_answer(
    rows: models.QuerySet[Row],
    submission: Submission,
    *,
    digest_now: Callable[[], str],
    refusals: Refusals,
    **columns: Any,
) -> Row:
    """Append the answer to `rows`, those of one person on one pair; the latest counts.

    The same key with the same answer again returns the first row, whatever changed since.
    `digest_now` gives the digest of what the pair shows now, or raises if no answer is taken any
    more. `columns` are those of the new row beside the answer's. Raises one of the `refusals`.
    """
    earlier = rows.model._default_manager.filter(key=submission.key).first()
    if earlier is not None:
        same = all(
            getattr(earlier, column) == getattr(submission.answer, column)
            for column in ("grade", "reason", "note")
        )
        if not same or not rows.filter(pk=earlier.pk).exists():
            raise refusals.key_reused
        return earlier
    if submission.presentation_digest != digest_now():
        raise refusals.text_changed
    current = rows.order_by("sequence").last()
    if (current.key if current else None) != submission.supersedes:
        raise refusals.answered_meanwhile
    return rows.create(
        sequence=current.sequence + 1 if current else 1,
        grade=submission.answer.grade,
        reason=submission.answer.reason,
        note=submission.answer.note,
        presentation_digest=submission.presentation_digest,
        key=submission.key,
        **{"seconds": submission.seconds} | columns,
    )
