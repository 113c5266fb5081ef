"""The rules of the database about stored reports: they stay as they were computed."""

from __future__ import annotations

from accounts.rules import not_being_deleted
from database.triggers import reject

# All but `revision` and `checked_at`, which say when a report was last found to be the present one.
WRITTEN_ONCE = "id, collection_id, missing, statistics, state, created_at, confusion, payload"

RULES = [
    reject(
        "agreement_report_never_edited",
        table="agreement_report",
        event="UPDATE",
        columns=WRITTEN_ONCE,
    ),
    reject(
        "agreement_report_never_deleted",
        table="agreement_report",
        event="DELETE",
        when=not_being_deleted("OLD.collection_id"),
    ),
]
