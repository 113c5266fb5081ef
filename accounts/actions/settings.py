"""Saving the settings of a collection, with a record of what changed."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.models import Collection


def save_settings(locked_collection: Collection, fields: Sequence[str]) -> None:
    """Save these fields of a locked collection, and record the names of those that changed.

    Not their values: a description is a text of people.
    """
    stored = Collection.objects.filter(pk=locked_collection.pk).values(*fields).get()
    changed = [name for name in fields if stored[name] != getattr(locked_collection, name)]
    if changed:
        locked_collection.save(update_fields=changed)
        record_action(
            kind=ActionKind.SETTINGS_CHANGED,
            collection=locked_collection,
            details={"changed": changed},
        )
