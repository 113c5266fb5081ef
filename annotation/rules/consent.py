"""Rules about consent. A migration of their own makes them, with their tables."""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from database.triggers import reject

CONSENT = "annotation_consent"
COLLECTION_OF_CONSENT = (
    "(SELECT t.collection_id FROM annotation_consenttext t WHERE t.id = OLD.text_id)"
)
# A person has not agreed to the text that the collection `c` asks for now, or has withdrawn.
NO_CONSENT = (
    "c.consent_version > 0 "
    f"AND NOT EXISTS (SELECT 1 FROM {CONSENT} a "
    "JOIN annotation_consenttext t ON t.id = a.text_id WHERE t.collection_id = c.id "
    "AND t.version = c.consent_version AND a.person_id = {person} "
    "AND a.withdrawn_at IS NULL)"
)
WITHOUT_CONSENT = (
    "EXISTS (SELECT 1 FROM {slot} JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE {row} AND "
    f"{NO_CONSENT.format(person='NEW.annotator_id')})"
)
OF_SLOT = WITHOUT_CONSENT.format(slot="annotation_slot s", row="s.id = NEW.slot_id")
OF_REPEAT = WITHOUT_CONSENT.format(
    slot="annotation_repeat r JOIN annotation_slot s ON s.id = r.slot_id",
    row="r.id = NEW.repeat_id",
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

# 0009_consent_before_judging makes these.
CONSENT_BEFORE_JUDGING = [
    reject(
        "judgment_after_consent",
        table="annotation_judgment",
        event="INSERT",
        # People agreed to imported judgments where they gave them.
        when=f"(NEW.is_imported IS NULL OR NOT NEW.is_imported) AND {OF_SLOT}",
    ),
    reject(
        "repeat_judgment_after_consent",
        table="annotation_repeatjudgment",
        event="INSERT",
        when=OF_REPEAT,
    ),
]
