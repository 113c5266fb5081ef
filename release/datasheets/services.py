"""Everything that writes answers of datasheets and annotators' profiles."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext

from accounts.locking import lock_collection
from accounts.models import JUDGES_AND_ADJUDICATORS, Collection, User
from bundle.datasheet.answers import InvalidAnswer, tidied
from bundle.datasheet.profiles import LEAST
from bundle.datasheet.questions import QUESTIONS
from bundle.errors import ReleaseError
from release.datasheets.models import VALUES, AnnotatorProfile, DatasheetAnswer, ProfileThreshold


class AnswerRefused(ReleaseError):
    """An answer is invalid, or its question does not exist. `question` is its key."""

    def __init__(self, question: str, message: str) -> None:
        super().__init__(f"{question}: {message}")
        self.question = question
        self.reason = message


class ProfileRefused(ReleaseError):
    """A profile has no value or an unknown one, or the person does not judge in the collection."""


class ThresholdTooLow(ReleaseError):
    def __init__(self, least_people: int) -> None:
        super().__init__(
            f"A group of {least_people} would show a single person. Use at least {LEAST}."
        )


def save_answers(
    *, collection: Collection, answers: Mapping[str, str], answered_by: User | None
) -> None:
    """Save the answers of these questions. An empty answer is removed. All of them or none.

    Raises:
        AnswerRefused: an answer is invalid, or there is no such question.
    """
    tidy = {key: _tidied(key, text) for key, text in answers.items()}
    with transaction.atomic():
        lock_collection(collection)
        rows = DatasheetAnswer.objects.filter(collection=collection)
        stored = dict(rows.values_list("question", "text"))
        changed = {key: text for key, text in tidy.items() if text != stored.get(key, "")}
        rows.filter(question__in=changed).delete()
        DatasheetAnswer.objects.bulk_create(
            DatasheetAnswer(collection=collection, question=key, text=text, answered_by=answered_by)
            for key, text in changed.items()
            if text
        )


def _tidied(key: str, text: str) -> str:
    if key not in QUESTIONS:
        raise AnswerRefused(key, f"No such question. The questions are {', '.join(QUESTIONS)}.")
    try:
        return tidied(key, text)
    except InvalidAnswer as error:
        raise AnswerRefused(key, str(error)) from error


def change_threshold(*, collection: Collection, least_people: int) -> None:
    """Set the smallest group of annotators that a release shows.

    Raises:
        ThresholdTooLow: a group of this size would be one person.
    """
    if least_people < LEAST:
        raise ThresholdTooLow(least_people)
    with transaction.atomic():
        lock_collection(collection)
        ProfileThreshold.objects.update_or_create(
            collection=collection, defaults={"least_people": least_people}
        )


def save_profile(*, collection: Collection, person: User, values: Mapping[str, str]) -> None:
    """Save what a person says of himself or herself, who consents by this.

    Raises:
        ProfileRefused: no value is given, one is unknown, or the person has no role that judges.
    """
    chosen = {key: values.get(key, "") for key in VALUES}
    for key, value in chosen.items():
        if value and value not in VALUES[key]:
            raise ProfileRefused(f"Unknown {key} {value!r}. Use one of {', '.join(VALUES[key])}.")
    if not any(chosen.values()):
        raise ProfileRefused(gettext("Nothing is chosen. Choose at least one answer."))
    with transaction.atomic():
        collection = lock_collection(collection)
        if not collection.memberships.filter(
            user=person, role__in=JUDGES_AND_ADJUDICATORS
        ).exists():
            raise ProfileRefused(
                gettext("Only annotators and adjudicators of the collection have a form.")
            )
        AnnotatorProfile.objects.update_or_create(
            collection=collection, user=person, defaults=chosen
        )


def delete_profile(*, collection: Collection, person: User) -> bool:
    """Revoke the consent: the profile is deleted, in an archived collection, too."""
    with transaction.atomic():
        lock_collection(collection, archived_too=True)
        deleted, _ = AnnotatorProfile.objects.filter(collection=collection, user=person).delete()
    return deleted > 0
