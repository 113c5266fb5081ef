"""The files of the runs that released pools were drawn from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from itertools import islice

from bundle.errors import ReleaseError
from bundle.records import ReleasedRound, ReleasedRun, RunLines
from bundle.zip.draft_files import DraftFolder
from bundle.zip.writing import StoredFile

RUNS = "runs/"
ROUND_LISTS = "pools/round-<number>/<name>.txt"
WRITTEN_TOGETHER = 1000  # lines


def file_names(runs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A plain file name for each run (name, SHA-256), unique without regard to case.

    Two runs of one retriever can have one name. Their digests tell their files apart.
    """
    keys = sorted(runs)
    plain = {key: re.sub(r"[^A-Za-z0-9_-][^A-Za-z0-9._-]*", _plain, key[0]) for key in keys}
    folded = [name.lower() for name in plain.values()]
    return {key: f"{RUNS}{_told_apart(key, keys, plain[key], folded)}.txt" for key in keys}


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


def write_runs(
    folder: DraftFolder, runs: Iterable[ReleasedRun], lines_of: Mapping[str, RunLines]
) -> dict[str, StoredFile]:
    """The runs that have lines, as files on disk by their names in the zip.

    They are read here and not with the snapshot, because they can be gigabytes. A run behind a
    frozen pool never changes; its digest proves it.

    Raises:
        ReleaseError: the digest of a run is not the recorded one.
    """
    return {
        run.file: _written(folder, run.name, run.sha256, lines_of[run.file])
        for run in runs
        if run.file is not None
    }


def round_files(number: int, runs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A plain file name for each run (name, SHA-256) of a pool round, by its name."""
    folder = ROUND_LISTS.partition("<")[0]
    return {
        name: f"{folder}{number}/{file.removeprefix(RUNS)}"
        for (name, _), file in file_names(runs).items()
    }


def write_round_lists(
    folder: DraftFolder, rounds: Iterable[ReleasedRound], lines_of: Mapping[str, RunLines]
) -> dict[str, StoredFile]:
    """The lists that pool rounds were chosen from, as run files. Raises as `write_runs`."""
    return {
        file: _written(folder, run["name"], run["sha256"], lines_of[file])
        for pool_round in rounds
        for run in pool_round.manifest["runs"]
        for file in [pool_round.files[run["name"]]]
    }


def write_query_runs(
    folder: DraftFolder, lines_of: Mapping[str, RunLines]
) -> dict[str, StoredFile]:
    """The same runs with the query ids of the qrels, by their names in the zip."""
    return {name: _stored(folder, lines) for name, lines in lines_of.items()}


def _stored(folder: DraftFolder, lines: RunLines) -> StoredFile:
    every = lines()
    return folder.write(
        "".join(some).encode() for some in iter(lambda: list(islice(every, WRITTEN_TOGETHER)), [])
    )


def _written(folder: DraftFolder, name: str, sha256: str, lines: RunLines) -> StoredFile:
    stored = _stored(folder, lines)
    if stored.sha256 != sha256:
        raise ReleaseError(
            f"The run {name} has the SHA-256 {stored.sha256}, not {sha256} as when it "
            "was made. Was it changed in the database directly? Restore it from a backup."
        )
    return stored
