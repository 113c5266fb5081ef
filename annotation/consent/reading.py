"""The text that a collection asks for now, and who agreed."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from accounts.models import Collection, User
from annotation.consent.models import Consent, ConsentText


class ConsentFigures(NamedTuple):
    """A version of the text, and how many people agreed to it and did not withdraw."""

    text: ConsentText
    agreed: int
    withdrawn: int


def current_text(collection: Collection) -> ConsentText | None:
    """None if the collection asks for no consent."""
    if not collection.consent_version:
        return None
    return collection.consent_texts.get(version=collection.consent_version)


def standing_consent(collection: Collection, person: User) -> Consent | None:
    """The person's agreement to the text of now, or None."""
    texts = Consent.objects.standing().filter(text__collection=collection, person=person)
    return texts.filter(text__version=collection.consent_version).first()


def has_consented(collection: Collection, person: User) -> bool:
    """Return whether the person may judge. No query if nothing is asked."""
    return not collection.consent_version or standing_consent(collection, person) is not None


def versions_of(collection: Collection) -> list[ConsentFigures]:
    """All versions, the newest first."""
    texts = collection.consent_texts.annotate(
        agreed=Count("consents", filter=Q(consents__withdrawn_at=None)),
        withdrawn=Count("consents", filter=Q(consents__withdrawn_at__isnull=False)),
    )
    return [ConsentFigures(text, text.agreed, text.withdrawn) for text in texts]


def consents_of(collection: Collection) -> QuerySet[Consent]:
    """All agreements, the latest first."""
    rows = Consent.objects.filter(text__collection=collection).select_related("text", "person")
    return rows.order_by("-agreed_at", "-pk")
