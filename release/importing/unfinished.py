"""The collection of an import that has not ended.

It is archived, has a short name of its own and no member who can log in, so no page, API view or
check of a worker shows it or changes it. If the import fails, it is deleted. If its process is
killed, the next import finds its file and deletes it. See docs/adr/0035-import-of-releases.md.
"""

from __future__ import annotations

import fcntl
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from accounts.models import UNFINISHED, Collection, User
from jobs.context import DirectRun, JobContext
from release.importing.collection_rows import delete_last_rows, delete_rows
from release.importing.context import ReleaseRefused


@contextmanager
def deleted_on_error() -> Iterator[str]:
    """Yield a short name for the collection. What has it when the block fails is deleted.

    A file with that name is locked as long as this process lives.
    """
    slug = f"{UNFINISHED}{secrets.token_hex(8)}"
    path = _folder() / slug
    with _locked_file(path):
        try:
            yield slug
        except BaseException:  # also Ctrl-C
            _delete(slug, DirectRun())
            path.unlink()
            raise
        path.unlink()


@contextmanager
def _locked_file(path: Path) -> Iterator[None]:
    """It gets its name when it is locked, so `delete_abandoned` never finds it unlocked."""
    draft = path.with_name(f".{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = draft.open("w")
    except OSError as error:
        raise ReleaseRefused(
            f"{path.parent} cannot be written: {error.strerror or error}. It needs an empty file "
            "as long as the import runs."
        ) from error
    with file:
        with suppress(OSError):  # a file system without locks: nothing in it is ever abandoned
            fcntl.flock(file, fcntl.LOCK_EX)
        draft.rename(path)
        yield


def delete_abandoned(work: JobContext) -> None:
    """Delete the collections of imports whose process was killed."""
    for path in sorted(_folder().glob(f"{UNFINISHED}*")):
        with suppress(OSError), path.open("r+") as file:
            if _is_abandoned(file):
                _delete(path.name, work)
                path.unlink(missing_ok=True)


def _is_abandoned(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False  # its process lives, or this file system has no locks
    return True


def _folder() -> Path:
    return Path(settings.DATA_DIR, "imports")


def _delete(slug: str, work: JobContext) -> None:
    """Delete the collection, and the accounts that were made for it."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        return
    now = timezone.now()
    Collection.objects.filter(pk=collection.pk).update(
        archived_at=now, exported_at=now, deletion_began_at=now
    )
    delete_rows(collection, work)
    made = User.objects.filter(
        memberships__collection=collection, is_active=False, date_joined__gte=collection.created_at
    )
    with transaction.atomic():
        people = list(made.distinct())
        delete_last_rows(collection)
        for person in people:
            _delete_unused(person)


def _delete_unused(person: User) -> None:
    """Another import to the same short name may use the account meanwhile."""
    with suppress(ProtectedError):
        if not person.memberships.exists():
            person.delete()
