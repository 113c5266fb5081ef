"""The lock that orders all decisions about one collection. `docs/adr/0006-one-lock-order.md`."""

from __future__ import annotations

from accounts.models import Collection


def lock_collection(collection: Collection) -> Collection:
    """Lock the collection's row until the transaction ends; returns the row as it is now.

    Every service that decides about a collection calls this first in its transaction, before it
    reads what it decides on. Rows read earlier can be out of date.

    `no_key`, because a stronger lock would also stop every insert that refers to the collection,
    such as a new job.
    """
    return Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
