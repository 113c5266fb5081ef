"""Delete a collection, in steps that a killed job continues.

See docs/adr/0028-archive-and-delete.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.validators import validate_slug
from django.db.models import Sum

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection
from adjudication.models import Decision
from annotation.models import SlotCount
from dashboard.settings.archiving import ArchiveError
from jobs.context import DirectRun, JobContext
from release.importing.collection_rows import delete_last_rows, delete_rows
from web.stored_files import FoundFile, remove_folder, stored_below


class NotBeingDeleted(ArchiveError):
    def __init__(self, collection: Collection) -> None:
        super().__init__(f"{collection} is not marked as being deleted, so nothing was deleted.")


class Contents(NamedTuple):
    """The data that a deletion removes. `size` is in bytes.

    `judgments` are those that count. To count the earlier ones, too, would read all of them.
    """

    documents: int
    queries: int
    runs: int
    judgments: int
    decisions: int
    releases: int
    public_releases: int
    jobs: int
    files: int
    size: int


def contents_of(collection: Collection) -> Contents:
    sizes = [file.size for file in files_of(collection)]
    releases = collection.releases.all()
    slots = SlotCount.objects.filter(query__collection=collection)
    return Contents(
        documents=collection.documents.count(),
        queries=collection.queries.count(),
        runs=collection.runs.count(),
        judgments=slots.aggregate(sum=Sum("judged", default=0))["sum"],
        decisions=Decision.objects.filter(pair__query__collection=collection).count(),
        releases=releases.count(),
        public_releases=releases.filter(
            public_periods__isnull=False, public_periods__ended_at=None
        ).count(),
        jobs=collection.jobs.count(),
        files=len(sizes),
        size=sum(sizes),
    )


def folders_of(collection: Collection) -> list[Path]:
    """Its indexes and vectors, its uploads, and the zips of its releases."""
    validate_slug(collection.slug)  # an empty one would name the folders of all collections
    roots = (settings.ARTEFACT_DIR, settings.RELEASE_DIR, settings.UPLOAD_DIR)
    return [Path(root, collection.slug) for root in roots]


def files_of(collection: Collection) -> list[FoundFile]:
    return [file for folder in folders_of(collection) for file in stored_below(folder)]


def delete_collection(*, collection: Collection, work: JobContext | None = None) -> None:
    """Delete every row and file of a collection that is marked as being deleted.

    The files are deleted after the rows that name them, and the collection's own row after the
    files. So a deletion that was killed leaves a row to begin again from.

    Raises:
        NotBeingDeleted: it is not marked. The rules of the database would refuse, too.
    """
    work = work or DirectRun()
    collection.refresh_from_db()
    if collection.deletion_began_at is None:
        raise NotBeingDeleted(collection)
    delete_rows(collection, work)
    for folder in folders_of(collection):
        remove_folder(folder)
    with work.fenced():
        lock_collection(collection, archived_too=True)
        delete_last_rows(collection)
        record_action(kind=ActionKind.COLLECTION_DELETED, collection=collection)
        work.complete({})
