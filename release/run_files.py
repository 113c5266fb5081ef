"""The files of the runs that released pools were drawn from."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from release.bundle import StoredFile
from release.errors import ReleaseError
from release.records import ReleasedRun, RunLines


def file_names(runs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A plain file name for each run (name, SHA-256), different also where case does not matter.

    Two runs of one retriever can have one name. Their digests tell their files apart.
    """
    keys = sorted(runs)
    plain = {key: re.sub(r"[^A-Za-z0-9_-][^A-Za-z0-9._-]*", _plain, key[0]) for key in keys}
    folded = [name.lower() for name in plain.values()]
    return {key: f"runs/{_told_apart(key, keys, plain[key], folded)}.txt" for key in keys}


def _plain(found: re.Match[str]) -> str:
    return "." if found.group() == "." and found.start() else "-"


def _told_apart(
    key: tuple[str, str], keys: list[tuple[str, str]], file: str, folded: list[str]
) -> str:
    name, sha256 = key
    if sum(other == name for other, _ in keys) > 1:
        return f"{file}-{sha256[:8]}"
    if name == file and folded.count(file.lower()) == 1:
        return file
    return f"{file}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@contextmanager
def spooled(
    runs: Iterable[ReleasedRun], lines_of: Mapping[str, RunLines]
) -> Iterator[dict[str, StoredFile]]:
    """The runs that have lines as files on disk, by their names in the zip.

    They are read here and not with the snapshot, because they can be gigabytes. A run that a frozen
    pool was drawn from never changes; its digest proves it.

    Raises:
        ReleaseError: a run is not what its digest says.
    """
    root = Path(settings.RELEASE_DIR)
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix=".release-", dir=root))
    try:
        files: dict[str, StoredFile] = {}
        for run in runs:
            if run.file is not None:
                path = folder / str(len(files))
                files[run.file] = _spool(run, lines_of[run.file], path)
        yield files
    finally:
        shutil.rmtree(folder)


def _spool(run: ReleasedRun, lines: RunLines, path: Path) -> StoredFile:
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for line in lines():
            content = line.encode()
            digest.update(content)
            file.write(content)
        size = file.tell()
    if digest.hexdigest() != run.sha256:
        raise ReleaseError(
            f"The run {run.name} has the SHA-256 {digest.hexdigest()}, not {run.sha256} as when it "
            "was made. Was it changed in the database directly? Restore it from a backup."
        )
    return StoredFile(path, size, run.sha256)
