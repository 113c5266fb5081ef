"""Delete a collection, in steps that a killed job continues.

See docs/adr/0028-archive-and-delete.md.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.validators import validate_slug
from django.db import connection
from django.db.models import Model, QuerySet

from accounts.locking import lock_collection
from accounts.models import Collection, Membership
from adjudication.models import Decision
from annotation.models import Judgment
from corpus.models import Query
from dashboard.archiving import ArchiveError
from dashboard.collection_tables import Table, tables_below
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from pooling.models import Pool, PoolBuild
from retrieval.models import Run

# Rows that have many rows below them. Each is deleted with all of these in one transaction, because
# a slot and its judgment refer to each other.
UNITS: tuple[type[Model], ...] = (Query, Pool, PoolBuild, Run)
# They show the collection and this job to its admins until everything else is gone.
LAST: tuple[type[Model], ...] = (Job, Membership)
AT_ONCE = 2_000  # rows of the other tables that are deleted in one transaction
_BELOW_UNITS = frozenset(table.model for unit in UNITS for table in tables_below(unit)) - {*UNITS}
PAUSE_SECONDS = 0.01  # for other writers on SQLite, see docs/adr/0019-drafts-in-parts.md


class NotBeingDeleted(ArchiveError):
    def __init__(self, collection: Collection) -> None:
        super().__init__(f"{collection} is not marked as being deleted, so nothing was deleted.")


class Contents(NamedTuple):
    """What a deletion deletes. `size` is in bytes."""

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
    sizes = [path.stat().st_size for path in files_of(collection)]
    releases = collection.releases.all()
    return Contents(
        documents=collection.documents.count(),
        queries=collection.queries.count(),
        runs=collection.runs.count(),
        judgments=Judgment.objects.filter(slot__pair__query__collection=collection).count(),
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


def files_of(collection: Collection) -> list[Path]:
    paths = (path for folder in folders_of(collection) for path in folder.rglob("*"))
    return sorted(path for path in paths if path.is_file())


def delete_collection(*, collection: Collection, work: JobContext | None = None) -> dict[str, Any]:
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
    tables = [table for table in tables_below() if table.model not in (*LAST, *_BELOW_UNITS)]
    total = sum(_rows(table, collection).count() for table in tables)
    done = 0
    for parts in _parts(tables, collection):
        with work.fenced():
            # The last part is of the table that is counted.
            done += [_delete(rows) for rows in parts][-1]
        work.progress(min(done, total), total, "rows deleted")
        if connection.vendor == "sqlite":
            time.sleep(PAUSE_SECONDS)
    for folder in folders_of(collection):
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
    with work.fenced():
        lock_collection(collection, archived_too=True)
        for model in LAST:
            _delete(model._base_manager.filter(collection=collection))
        _delete(Collection._base_manager.filter(pk=collection.pk))
        work.complete({})
    return {}


def _parts(tables: list[Table], collection: Collection) -> Iterator[list[QuerySet[Model]]]:
    """The rows to delete in one transaction, again and again until no row is left."""
    for unit in (table for model in UNITS for table in tables if table.model is model):
        below = tables_below(unit.model)
        for pk in list(_rows(unit, collection).values_list("pk", flat=True)):
            children = [table.model._base_manager.filter(**{table.path: pk}) for table in below]
            yield [*children, unit.model._base_manager.filter(pk=pk)]
    for table in tables:
        rows = _rows(table, collection)
        while rows.exists():
            yield [table.model._base_manager.filter(pk__in=rows.values("pk")[:AT_ONCE])]


def _rows(table: Table, collection: Collection) -> QuerySet[Model]:
    """Also rows that the default manager leaves out, such as hidden pools and retired runs."""
    return table.model._base_manager.filter(**{table.path: collection}).order_by("pk")


def _delete(rows: QuerySet[Model]) -> int:
    """Delete without Django's cascade, which loads the rows that refer to these."""
    count: int = rows.order_by()._raw_delete(connection.alias)
    return count
