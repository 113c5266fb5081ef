"""The rules of the database about stored reports with a digest: they stay as they were computed."""

from __future__ import annotations

from accounts.rules import not_being_deleted
from database.triggers import reject

REPORT = "reports_storedreport"
# All but `state` and `checked_at`.
WRITTEN_ONCE = (
    "id, collection_id, kind, key, parameters, digest, version, computed_at, seconds, summary, "
    "payload"
)

RULES = [
    reject(
        "report_with_digest_never_edited",
        table=REPORT,
        event="UPDATE",
        columns=WRITTEN_ONCE,
        when="OLD.digest <> ''",
    ),
    reject(
        "report_with_digest_never_deleted",
        table=REPORT,
        event="DELETE",
        when=f"OLD.digest <> '' AND {not_being_deleted('OLD.collection_id')}",
    ),
]
