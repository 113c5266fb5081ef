"""The files of a backup, kept with hard links while the database is read.

Files of uploads and releases never change once rows name them, and rows are committed after their
files. So the rows of a moment have all their files in what was there before or after it, unless
a file was made and removed within the moment. Then the moment is repeated: `missing_files`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from jobs import registry
from jobs.models import LIVE, Job
from jobs.uploaded_files import places_in
from release.models import Release
from web.stored_files import is_finished, local_copy, stored_below

UPLOADS, RELEASES, IMPORTS = "uploads", "releases", "imports"
SHARED = (UPLOADS, RELEASES)  # with FILES_BUCKET, in the shared storage
# The key signs sessions and account codes if no SECRET_KEY is set. The other file has the
# passwords of the demo.
SINGLE_FILES = ("secret_key", "demo-accounts.json")


def roots() -> dict[str, Path]:
    """The folders in a backup by their names there. Indexes are left out: they are built again."""
    return {
        UPLOADS: Path(settings.UPLOAD_DIR),
        RELEASES: Path(settings.RELEASE_DIR),
        IMPORTS: Path(settings.DATA_DIR, IMPORTS),  # each file marks an import that has not ended
    }


def single_files() -> dict[str, Path]:
    return {name: Path(settings.DATA_DIR, name) for name in SINGLE_FILES}


class FileToKeep(NamedTuple):
    """A file by its name in a backup. With FILES_BUCKET, it may not be at its path."""

    name: str
    path: Path
    size: int


def files_below(root: str) -> Iterator[FileToKeep]:
    """Each file of one of the `roots()`. Hidden files are not finished."""
    folder = roots()[root]
    for path, size, _ in stored_below(folder):
        if is_finished(path, folder):
            yield FileToKeep(f"{root}/{path.relative_to(folder).as_posix()}", path, size)


def stored_files() -> Iterator[FileToKeep]:
    """Each file there is."""
    for root in roots():
        yield from files_below(root)
    for name, path in single_files().items():
        if path.is_file():
            yield FileToKeep(name, path, path.stat().st_size)


class LinkedFiles:
    """A second name for each file in a folder of the backup's own, so that a deletion leaves it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.paths: dict[str, Path] = {}

    def add_new(self) -> None:
        for name, path, _ in stored_files():
            if name not in self.paths:
                place = self._folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):  # removed meanwhile, so its row is, too
                    _link(path, place)
                    self.paths[name] = place

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.paths.values())


def _link(path: Path, place: Path) -> None:
    with local_copy(path) as copy:
        try:
            os.link(copy, place)
        except FileNotFoundError:
            raise
        except OSError:  # on another disk, or without hard links
            shutil.copyfile(copy, place)


class NamedFile(NamedTuple):
    """A file that a row names. `sha256` is empty if the row does not say it."""

    name: str
    sha256: str = ""


def named_files() -> Iterator[NamedFile]:
    """The files that rows name: of each release, and of each job that waits or runs."""
    releases = Release.objects.order_by("pk").values_list("collection__slug", "version", "sha256")
    for slug, version, sha256 in releases:
        yield NamedFile(f"{RELEASES}/{slug}/{version}.zip", sha256)
    jobs = Job.objects.filter(state__in=LIVE, kind__in=registry.reading_kinds()).order_by("pk")
    for kind, parameters in jobs.values_list("kind", "parameters"):
        for place in places_in(kind, parameters):
            yield NamedFile(f"{UPLOADS}/{place}")
