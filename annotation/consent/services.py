"""Services that write the text, and record who agrees and who withdraws."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.settings import save_settings
from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.consent.models import Consent
from annotation.consent.reading import current_text, has_consented
from annotation.services import ConsentMissing, JudgingConflict


class ConsentTextChanged(JudgingConflict):
    def __init__(self) -> None:
        super().__init__(
            gettext("The text changed meanwhile, so nothing was saved. Read the new one.")
        )


def write_consent_text(*, collection: Collection, text: str, written_by: User | None) -> int:
    """Write the next version, which each judge is asked for from now on. Returns its number.

    The same text as now changes nothing. An empty text ends the asking; 0 is returned.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        newest = locked_collection.consent_texts.first()
        if not text:
            version = 0
        elif newest is not None and newest.text == text:
            version = newest.version
        else:
            version = newest.version + 1 if newest else 1
            locked_collection.consent_texts.create(
                version=version, text=text, written_by=written_by
            )
        locked_collection.consent_version = version
        save_settings(locked_collection, ["consent_version"])
    return version


def agree(*, collection: Collection, person: User, version: int) -> None:
    """Record that the person agrees to this version. A second call changes nothing.

    Raises:
        ConsentTextChanged: the collection asks for another version now, or for none.
        CollectionArchived: the collection is archived.
    """
    try:
        with transaction.atomic():
            # Not until the lock: a person who saw the old version must not agree to a new one.
            locked_collection = lock_collection(collection)
            text = current_text(locked_collection)
            if text is None or text.version != version:
                raise ConsentTextChanged
            if not has_consented(locked_collection, person):
                Consent.objects.create(text=text, person=person, agreed_at=timezone.now())
    except IntegrityError:  # another request of the person was faster
        return


def withdraw(*, collection: Collection, person: User) -> None:
    """End all agreements of the person in the collection. Judgments stay, and no more are taken."""
    Consent.objects.standing().filter(text__collection=collection, person=person).update(
        withdrawn_at=timezone.now()
    )


def check_consent(collection: Collection, person: User) -> None:
    """Raise ConsentMissing if the person must agree first. No query if nothing is asked."""
    if not has_consented(collection, person):
        raise ConsentMissing(collection)
