"""The rules of the database about the record: actions are added, and never changed or deleted."""

from __future__ import annotations

from database.triggers import reject

ACTION = "accounts_recordedaction"
RULES = [
    reject(
        "action_never_edited",
        table=ACTION,
        event="UPDATE",
        columns="id, at, kind, collection_id, collection_slug, person_id, subject_kind, "
        "subject_id, subject_label, about_id, details, way, tool, once",
    ),
    # An address is personal data, which expires. It can go, and never become another one.
    reject(
        "action_address_only_emptied",
        table=ACTION,
        event="UPDATE",
        columns="address, agent",
        when="NEW.address <> '' OR NEW.agent <> ''",
    ),
    # Not even with its collection: the record says who deleted it.
    reject("action_never_deleted", table=ACTION, event="DELETE"),
]
