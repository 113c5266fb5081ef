"""The list of erasures, which tells a restored backup whom to erase again.

Each erasure is a file of its own in `DATA_DIR/erasures/`, because a storage that speaks S3 cannot
append to a file. With FILES_BUCKET, the file is in that storage, so the list is in one place
whichever machine erased a person. It is in no backup: a backup from before would lack the later
ones. It has ids and pseudonyms, and no personal data.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import ClassVar, NamedTuple

from django.conf import settings

from accounts.models import User
from accounts.services import AccountError
from web.stored_files import StorageFailed, finished_below, local_copy, share, stored_below

FOLDER = "erasures"  # in the data folder, and in the storage
BEFORE = "erasures.jsonl"  # one file, as it was before machines could share a storage
log = logging.getLogger(__name__)


class Erasure(NamedTuple):
    """The account of an erased person, its username since, and when it was erased."""

    person: int
    pseudonym: str
    erased_at: datetime


class NoErasures(AccountError):
    """A file is no list of erasures."""

    status: ClassVar[int] = 400

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(
            f"{path} is no list of erasures ({reason}). Name the file or the folder of the server "
            "that erased people."
        )


def folder() -> Path:
    return Path(settings.DATA_DIR, FOLDER)


def note_erasure(person: User) -> None:
    """Add an erased person to the list.

    A storage that fails loses nothing: the file stays on this machine, where the list is read, too,
    and goes to the storage with the next erasure, with `share_files`, or within an hour.
    """
    line = {"id": person.pk, "pseudonym": person.username, "erased_at": str(person.erased_at)}
    path = folder() / f"{person.pk}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}")
    with part.open("w") as file:
        file.write(f"{json.dumps(line)}\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    share_notes()


def share_notes() -> None:
    """Move what only this machine has to the storage, if there is one."""
    if not settings.FILES_BUCKET:
        return
    try:
        for path in finished_below(folder()):
            share(path)
    except StorageFailed as error:
        log.warning("erasures stay on this machine for now: %s", error)


def all_erasures() -> list[Erasure]:
    """Those of the storage and of this machine. Raises StorageFailed, NoErasures."""
    found = [*_of_one_file(Path(settings.DATA_DIR, BEFORE))]
    for stored in stored_below(folder()):
        with local_copy(stored.path) as copy:
            found += _of_one_file(copy)
    return _last_of_each(found)


def erasures_in(path: Path) -> list[Erasure]:
    """Those of a file, or of a folder with files. Raises NoErasures."""
    if not path.exists():
        raise NoErasures(path, "it does not exist")
    paths = sorted(path.glob("*.json*")) if path.is_dir() else [path]
    return _last_of_each(erasure for each in paths for erasure in _of_one_file(each))


def _last_of_each(erasures: Iterable[Erasure]) -> list[Erasure]:
    last = {erasure.person: erasure for erasure in erasures}
    return [last[person] for person in sorted(last)]


def not_erased(erasures: Iterable[Erasure]) -> list[Erasure]:
    """Those whose account has its name again, because a backup from before was restored.

    An account that is younger than the erasure is of another person: after a restore, the database
    gives the number of an account that the backup lacks to the next new account.
    """
    listed = {erasure.person: erasure for erasure in erasures}
    here = User.objects.filter(pk__in=listed, erased_at=None).order_by("pk")
    return [
        listed[person]
        for person, joined_at in here.values_list("pk", "date_joined")
        if joined_at <= listed[person].erased_at
    ]


def _of_one_file(path: Path) -> Iterator[Erasure]:
    if not path.is_file():
        return
    try:
        for line in map(json.loads, path.read_text().splitlines()):
            erased_at = datetime.fromisoformat(line["erased_at"])
            yield Erasure(int(line["id"]), str(line["pseudonym"]), erased_at)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoErasures(path, error) from error
