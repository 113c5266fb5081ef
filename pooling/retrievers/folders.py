"""Index folders: never seen half-built, and checked before they are used.

An index is written into a hidden sibling folder and renamed when it is complete (what a killed
build leaves there: see `sweeping`). `meta.json`,
written last, names the retriever, the folder and the SHA-256 of every file.

Opening must not read gigabytes, and must not use a damaged index. So the files are read and their
digests compared once; what the file system then says of them is put down in a **seal**, a hidden
file beside them. As long as it says the same (size, modification and change time, inode), nobody
has written to them. After a copy, a restore or a repair it does not, and they are read again. A
file changed within the resolution of the clock after its seal would look untouched, so a seal that
is not clearly younger than the files proves nothing (git's index has the same rule). Only a disk
that returns other bytes than were written escapes; `check_folder(..., thorough=True)` finds that.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from corpus.texts import canonical_json
from jobs.space import room_in
from pooling.retrievers.interface import Described
from pooling.retrievers.strings import open_strings, write_strings
from pooling.retrievers.sweeping import note_use, sweep, workshop

META = "meta.json"
DOCNOS = "docnos"
SEAL = ".checked.json"
SEAL_YOUNGER_NS = 2_000_000_000  # the coarsest clock of a file system in use: FAT's, 2 s


class IndexCorrupt(Exception):
    """An index folder is not what a retriever wrote there. Delete it and build it again."""

    is_for_people = True

    def __init__(self, folder: Path, problem: str) -> None:
        self.folder, self.problem = folder, problem
        super().__init__(f"the index in {folder} cannot be used: {problem}; delete it and rebuild")


def description(retriever: Described) -> dict[str, Any]:
    """What makes two retrievers the same, as JSON values."""
    return {
        "name": retriever.name,
        "kind": retriever.kind,
        "version": retriever.version,
        "parameters": dict(retriever.parameters),
    }


def index_key(corpus_digest: str, retriever: Described) -> str:
    """16 hex digits naming the index of these documents by this retriever; a good folder name."""
    values = [corpus_digest, description(retriever)]
    return hashlib.sha256(canonical_json(values)).hexdigest()[:16]


def build_folder(
    folder: Path, retriever: Described, write: Callable[[Path, Path], Sequence[str]]
) -> None:
    """Make an index folder out of what `write(draft, scratch)` puts into `draft`.

    `write` returns the docnos; `scratch` is an empty folder that is thrown away. When an intact
    index is already there (another worker was faster), that one stays. Raises DiskFull.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    sweep(folder.parent)
    with room_in(folder.parent), workshop(folder) as made:
        # Not the temporary folder itself: that one is readable by its owner only.
        draft, scratch = made / "index", made / "scratch"
        draft.mkdir()
        scratch.mkdir()
        docnos = write(draft, scratch)
        write_strings(draft, DOCNOS, docnos)
        _write_json(draft / META, _meta(draft, folder.name, retriever, len(docnos)))
        _publish(draft, folder, retriever)


def check_folder(folder: Path, retriever: Described, *, thorough: bool = False) -> Sequence[str]:
    """The docnos of a complete index of this retriever; raises IndexCorrupt for anything else.

    Every file is read when there is no valid seal, or when it is to be `thorough`: about a second
    per gigabyte. Otherwise none is.
    """
    meta = _read_meta(folder, retriever)
    states = _states(folder)
    if thorough or _read_seal(folder) != _sealed(states):
        if changed := _changed_files(folder, meta.get("files")):
            raise IndexCorrupt(folder, f"missing, added or changed: {', '.join(changed)}")
        if not thorough:
            _write_seal(folder, states)
    try:
        docnos = open_strings(folder, DOCNOS)
    except (OSError, ValueError) as error:
        raise IndexCorrupt(folder, str(error)) from error
    if len(docnos) != meta.get("documents"):
        raise IndexCorrupt(folder, f"{len(docnos)} documents where {META} says otherwise")
    note_use(folder)
    return docnos


def _read_meta(folder: Path, retriever: Described) -> dict[str, Any]:
    meta = _read_json(folder, META)
    if not isinstance(meta, dict):
        raise IndexCorrupt(folder, f"{META} is not an object")
    if meta.get("key") != folder.name:
        raise IndexCorrupt(folder, f"it was built as {meta.get('key')!r}")
    if meta.get("retriever") != description(retriever):
        raise IndexCorrupt(folder, f"it is of another retriever than {retriever.name}")
    return meta


def _meta(draft: Path, key: str, retriever: Described, documents: int) -> dict[str, Any]:
    return {
        "key": key,
        "retriever": description(retriever),
        "documents": documents,
        "files": _digests(draft),
    }


def _publish(draft: Path, folder: Path, retriever: Described) -> None:
    try:
        draft.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
        _replace_if_corrupt(draft, folder, retriever)


def _replace_if_corrupt(draft: Path, folder: Path, retriever: Described) -> None:
    try:
        check_folder(folder, retriever, thorough=True)
    except IndexCorrupt:
        # Out of sight in one step: a reader sees the old folder, none, or the new one.
        folder.rename(draft.parent / "replaced")
        draft.rename(folder)


def _changed_files(folder: Path, expected: object) -> list[str]:
    found = _digests(folder)
    found.pop(META, None)
    if not isinstance(expected, dict):
        return [META]
    names = found.keys() | expected.keys()
    return sorted(name for name in names if found.get(name) != expected.get(name))


def _digests(folder: Path) -> dict[str, str]:
    """SHA-256 by relative path."""
    return {name: _digest(folder / name) for name in _names(folder)}


def _names(folder: Path) -> list[str]:
    """The files of an index. Hidden ones are left out: tantivy's locks and the seal are no data."""
    paths = (path for path in folder.rglob("*") if path.name[0] != "." and path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def _states(folder: Path) -> dict[str, list[int]]:
    """What the file system says of each file: all that writing to one, or replacing it, changes."""
    states = {}
    for name in _names(folder):
        state = (folder / name).stat()
        states[name] = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]
    return states


def _sealed(states: Mapping[str, list[int]]) -> dict[str, Any]:
    return {"files": dict(states)}


def _read_seal(folder: Path) -> object:
    """What the seal says; None when there is none that proves anything."""
    path = folder / SEAL
    try:
        sealed = json.loads(path.read_bytes())
        # By the clock of the file system itself, which need not be this machine's.
        latest = max(max(mtime, ctime) for _, mtime, ctime, _ in sealed["files"].values())
        return sealed if path.stat().st_mtime_ns >= latest + SEAL_YOUNGER_NS else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write_seal(folder: Path, states: Mapping[str, list[int]]) -> None:
    """Put down the states that were seen before the files were read and found whole."""
    # Where nothing can be written (shared storage, mounted for reading) every opening reads all.
    with suppress(OSError):
        descriptor, draft = tempfile.mkstemp(prefix=SEAL, dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(canonical_json(_sealed(states)))
            Path(draft).replace(folder / SEAL)
        finally:
            Path(draft).unlink(missing_ok=True)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write_json(path: Path, value: object) -> None:
    path.write_bytes(canonical_json(value))


def _read_json(folder: Path, name: str) -> Any:
    try:
        return json.loads((folder / name).read_bytes())
    except (OSError, ValueError) as error:
        raise IndexCorrupt(folder, f"{name} cannot be read ({error})") from error
