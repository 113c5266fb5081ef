"""Rules about consent. A migration of their own makes them, with their tables."""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from database.triggers import reject

CONSENT = "annotation_consent"
COLLECTION_OF_CONSENT = (
    "(SELECT t.collection_id FROM annotation_consenttext t WHERE t.id = OLD.text_id)"
)

CONSENTS = [
    *kept_rows("consent_text", table="annotation_consenttext", collection="OLD.collection_id"),
    reject(
        "consent_keeps_what_was_agreed",
        table=CONSENT,
        event="UPDATE",
        columns="text_id, person_id, agreed_at",
    ),
    reject(
        "consent_withdrawn_once",
        table=CONSENT,
        event="UPDATE",
        when="OLD.withdrawn_at IS NOT NULL",
    ),
    reject(
        "consent_never_deleted",
        table=CONSENT,
        event="DELETE",
        when=not_being_deleted(COLLECTION_OF_CONSENT),
    ),
]
