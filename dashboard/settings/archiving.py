"""Services that archive a collection, and let it be deleted.

See docs/adr/0028-archive-and-delete.md.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import connection, transaction
from django.utils import timezone

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Slot
from dashboard.settings.collection_tables import row_counts
from jobs import registry
from jobs.models import Job
from jobs.services import enqueue
from practice.models import PracticeMember
from studies.models import Study
from web.errors import UserFacingError

DELETION_KIND = "delete_collection"


class ArchiveError(UserFacingError):
    """The collection cannot be archived, taken back or deleted now."""

    status: ClassVar[int] = 409


class JobsInProgress(ArchiveError):
    def __init__(self, collection: Collection, kinds: list[str]) -> None:
        titles = ", ".join(sorted({registry.kind(kind).title for kind in kinds}))
        super().__init__(
            f"{collection} was not archived, because it has jobs in progress: {titles}. Wait until "
            "they end, or cancel them."
        )


class NotArchived(ArchiveError):
    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"{collection} is not archived, or was not all the time. Archive it first: an archived "
            "collection does not change while it is exported or deleted."
        )


class NotExported(ArchiveError):
    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"{collection} was not deleted, because it was not downloaded since it was archived. "
            "Download everything first."
        )


class ExportIncomplete(ArchiveError):
    """The last download has another number of rows than the database."""

    def __init__(self, collection: Collection, tables: list[str]) -> None:
        super().__init__(
            f"{collection} was not deleted, because these tables have changed since it was "
            f"downloaded: {', '.join(tables)}. Download everything again."
        )


class WrongName(ArchiveError):
    status = 400

    def __init__(self, collection: Collection, name: str) -> None:
        super().__init__(
            f"{collection} was not deleted, because its short name is {collection.slug}, and you "
            f"typed {name!r}."
        )


class DeletionBegan(ArchiveError):
    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"{collection} is being deleted. Parts of it may be gone, so it stays archived."
        )


def archive_collection(*, collection: Collection) -> None:
    """Let the collection be read but not changed. Does nothing if it is archived already.

    When it returns, every judgment and decision that was acknowledged is committed.

    Raises:
        JobsInProgress: a job of the collection is queued or running.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection, archived_too=True)
        if locked_collection.is_archived:
            return
        kinds = list(locked_collection.jobs.live().values_list("kind", flat=True))
        if kinds:
            raise JobsInProgress(locked_collection, kinds)
        locked_collection.archived_at = timezone.now()
        locked_collection.save(update_fields=["archived_at"])
        record_action(kind=ActionKind.COLLECTION_ARCHIVED, collection=locked_collection)
    _wait_for_answers(collection)


def _wait_for_answers(collection: Collection) -> None:
    """Return when no transaction holds a slot, study or member that it locked for an answer.

    Each of them asks after its lock whether the collection is archived. So it is refused, or it has
    committed when this returns. SQLite has one writer at a time, and so has none to wait for.
    """
    if not connection.features.has_select_for_update:
        return
    slots = Slot.objects.of(collection).order_by("pair", "number")  # as `decide` locks them
    studies = Study.objects.filter(collection=collection).order_by("pk")
    members = PracticeMember.objects.filter(practice_set__collection=collection).order_by("pk")
    for rows in (slots, studies, members):
        with transaction.atomic():
            for _ in rows.select_for_update(of=("self",)).values_list("pk").iterator():
                pass


def unarchive_collection(*, collection: Collection) -> None:
    """Let the collection change again. Does nothing if it is not archived.

    An earlier download no longer counts, because the collection can change from now on.

    Raises:
        DeletionBegan: parts of the collection may be gone.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection, archived_too=True)
        if locked_collection.deletion_began_at:
            raise DeletionBegan(locked_collection)
        if locked_collection.is_archived:
            record_action(kind=ActionKind.COLLECTION_UNARCHIVED, collection=locked_collection)
        locked_collection.archived_at = locked_collection.exported_at = None
        locked_collection.exported_rows = {}
        locked_collection.save(update_fields=["archived_at", "exported_at", "exported_rows"])


def check_archived(collection: Collection) -> None:
    if not collection.is_archived:
        raise NotArchived(collection)


def note_export(*, collection: Collection, rows: dict[str, int]) -> None:
    """Record that all of an archived collection was downloaded, so that it can be deleted.

    `rows` is how many rows of each table were read, as `row_counts` counts them.

    Raises:
        NotArchived: it was unarchived since `collection` was read, so it may have changed.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection, archived_too=True)
        if locked_collection.archived_at != collection.archived_at:
            raise NotArchived(locked_collection)
        locked_collection.exported_at = timezone.now()
        locked_collection.exported_rows = rows
        locked_collection.save(update_fields=["exported_at", "exported_rows"])


def check_export(collection: Collection) -> None:
    """Raise `ExportIncomplete` unless each table has as many rows as the last download.

    Judgments, decisions and releases are never deleted, so equal numbers are the same rows.
    """
    counts = row_counts(collection)
    changed = [
        name for name, count in counts.items() if collection.exported_rows.get(name) != count
    ]
    if changed:
        raise ExportIncomplete(collection, sorted(changed))


def begin_deletion(*, collection: Collection, name: str) -> None:
    """Mark the collection as being deleted, which cannot be undone.

    Raises:
        NotArchived, NotExported
        ExportIncomplete: a table has more or fewer rows than the last download.
        WrongName: `name` is not its short name.
    """
    with transaction.atomic():
        locked_collection = lock_collection(collection, archived_too=True)
        check_archived(locked_collection)
        if locked_collection.exported_at is None:
            raise NotExported(locked_collection)
        if name != locked_collection.slug:
            raise WrongName(locked_collection, name)
        if locked_collection.deletion_began_at is None:
            check_export(locked_collection)
            locked_collection.deletion_began_at = timezone.now()
            locked_collection.save(update_fields=["deletion_began_at"])
            record_action(kind=ActionKind.DELETION_BEGUN, collection=locked_collection)


def request_deletion(*, collection: Collection, name: str, requested_by: User | None) -> Job:
    """Mark the collection as being deleted, and queue the job that deletes it.

    Raises:
        NotArchived, NotExported, ExportIncomplete, WrongName: as `begin_deletion`.
    """
    with transaction.atomic():
        begin_deletion(collection=collection, name=name)
        return enqueue(
            kind=DELETION_KIND, collection=collection, parameters={}, requested_by=requested_by
        )
