"""The rules of the database about invitations: what was used or revoked stays so."""

from __future__ import annotations

from database.triggers import reject

INVITATION = "accounts_invitation"

RULES = [
    reject(
        "invitation_used_once",
        table=INVITATION,
        event="UPDATE",
        when="OLD.accepted_at IS NOT NULL OR OLD.revoked_at IS NOT NULL",
    ),
    reject(
        "invitation_never_redirected",
        table=INVITATION,
        event="UPDATE",
        columns="collection_id, email, role",
        when="NEW.collection_id <> OLD.collection_id OR NEW.email <> OLD.email "
        "OR NEW.role <> OLD.role",
    ),
]
