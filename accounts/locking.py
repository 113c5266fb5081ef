"""The lock that orders all decisions about one collection. `docs/adr/0006-one-lock-order.md`."""

from __future__ import annotations

from typing import ClassVar

from django.utils.translation import gettext

from accounts.models import Collection
from web.errors import UserFacingError


class CollectionArchived(UserFacingError):
    """The collection is archived, so nothing in it can change."""

    status: ClassVar[int] = 409

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        if collection.deletion_began_at:
            remedy = gettext("It is being deleted.")
        else:
            remedy = gettext(
                "An admin can unarchive it in its settings, or with archive_collection."
            )
        super().__init__(
            gettext("%(collection)s is archived, so nothing was changed. %(remedy)s")
            % {"collection": collection, "remedy": remedy}
        )


def lock_collection(collection: Collection, *, archived_too: bool = False) -> Collection:
    """Lock the collection's row until the transaction ends; returns the row as it is now.

    Every service that decides about a collection calls this first in its transaction, before it
    reads what it decides on. Rows read earlier can be out of date.

    `no_key`, because a stronger lock would also stop every insert that refers to the collection,
    such as a new job.

    Raises:
        CollectionArchived: it is archived. The services of its archive ask for `archived_too`.
    """
    locked_collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if not archived_too:
        check_not_archived(locked_collection)
    return locked_collection


def check_not_archived(collection: Collection) -> None:
    """Raise CollectionArchived if this row of the collection says so.

    For services that do not lock the collection, such as judging.
    """
    if collection.is_archived:
        raise CollectionArchived(collection)
