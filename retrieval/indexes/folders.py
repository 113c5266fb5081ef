"""Index folders: complete when they appear, and checked when they are opened.

An index is written into a hidden folder beside its place and renamed when it is complete.
`meta.json`, written last, names the retriever, the folder and the SHA-256 of every file.

Opening must not read gigabytes, and must not use a damaged index. So all files are read and their
digests compared once. Then a **seal** is written, a hidden file with the size, modification time,
change time and inode of each file. While these stay the same, the files are not read again.

A file that is changed within one tick of the clock after its seal would look untouched. So a seal
counts only when it is clearly younger than the files (git's index has the same rule). A seal cannot
show a disk that returns other bytes than were written; `check_folder(..., thorough=True)` does.

See docs/adr/0013-index-folders.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from corpus.digests import canonical_json, json_digest
from retrieval.indexes.cleanup import draft_folder, note_use, sweep
from retrieval.indexes.string_table import open_strings, write_strings
from retrieval.interface import Described, IndexedText, Progress, Ranker, Retriever
from web.disk import room_in
from web.errors import UserFacingError

META = "meta.json"
DOCNOS = "docnos"
SEAL = ".checked.json"
SEAL_YOUNGER_NS = 2_000_000_000  # the coarsest clock of a file system in use: FAT's, 2 s


class IndexCorrupt(UserFacingError):
    """An index folder is damaged, incomplete or of another retriever."""

    def __init__(self, folder: Path, problem: str) -> None:
        self.folder, self.problem = folder, problem
        super().__init__(f"the index in {folder} cannot be used: {problem}; delete it and rebuild")


def description(retriever: Described) -> Mapping[str, object]:
    """The JSON values by which two retrievers are the same."""
    return {
        "name": retriever.name,
        "kind": retriever.kind,
        "version": retriever.version,
        "parameters": dict(retriever.parameters),
    }


def index_key(corpus_digest: str, retriever: Described) -> str:
    """16 hex digits for the index of these documents by this retriever; part of a folder name."""
    values = [corpus_digest, description(retriever)]
    return json_digest(values)[:16]


def build_folder(
    folder: Path, retriever: Described, write: Callable[[Path, Path], Sequence[str]]
) -> None:
    """Make an index folder from the files that `write(draft, scratch)` writes into `draft`.

    `write` returns the docnos. `scratch` is an empty folder that is removed at the end. An intact
    index that another worker finished first stays. Raises DiskFull.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    sweep(folder.parent)
    with room_in(folder.parent), draft_folder(folder) as temporary:
        # Only its owner can read the temporary folder, so the index is a folder inside it.
        draft, scratch = temporary / "index", temporary / "scratch"
        draft.mkdir()
        scratch.mkdir()
        docnos = write(draft, scratch)
        write_strings(draft, DOCNOS, docnos)
        meta = {
            "key": folder.name,
            "retriever": description(retriever),
            "documents": len(docnos),
            "files": _digests(draft),
        }
        (draft / META).write_bytes(canonical_json(meta))
        _publish(draft, folder, retriever)


class IndexDraft(NamedTuple):
    """The place of an index, the folder for its files until then, and one to be removed."""

    folder: Path
    draft: Path
    scratch: Path


class FolderRetriever(Retriever):
    """A retriever whose index is a folder: `write` makes its files, and `read` opens them."""

    @abstractmethod
    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> Sequence[str]:
        """Write the files of an index of the documents. Returns the docnos."""

    @abstractmethod
    def read(self, folder: Path, docnos: Sequence[str]) -> Ranker:
        """Open the files of a complete index. OSError and ValueError mean that it is damaged."""

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build."""

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            return self.write(documents, IndexDraft(folder, draft, scratch), progress)

        build_folder(folder, self, write)

    def open(self, folder: Path) -> Ranker:
        """See Retriever.open."""
        docnos = check_folder(folder, self)
        try:
            return self.read(folder, docnos)
        except (OSError, ValueError) as error:
            raise IndexCorrupt(folder, str(error)) from error


def check_folder(folder: Path, retriever: Described, *, thorough: bool = False) -> Sequence[str]:
    """The docnos of a complete index of this retriever; raises IndexCorrupt for anything else.

    With a valid seal no file is read. Without one, or if `thorough`, every file is: about a second
    per gigabyte.
    """
    meta = _read_meta(folder, retriever)
    states = _states(folder)
    if thorough or _read_seal(folder) != states:
        if changed_files := _changed_files(folder, meta.get("files")):
            raise IndexCorrupt(folder, f"missing, added or changed: {', '.join(changed_files)}")
        if not thorough:
            _write_seal(folder, states)
    try:
        docnos = open_strings(folder, DOCNOS)
    except (OSError, ValueError) as error:
        raise IndexCorrupt(folder, str(error)) from error
    if len(docnos) != meta.get("documents"):
        raise IndexCorrupt(
            folder, f"{META} has {meta.get('documents')} documents, {DOCNOS} has {len(docnos)}"
        )
    note_use(folder)
    return docnos


def _read_meta(folder: Path, retriever: Described) -> Mapping[str, Any]:
    try:
        meta = json.loads((folder / META).read_bytes())
    except (OSError, ValueError) as error:
        raise IndexCorrupt(folder, f"{META} cannot be read ({error})") from error
    if not isinstance(meta, dict):
        raise IndexCorrupt(folder, f"{META} is not an object")
    if meta.get("key") != folder.name:
        raise IndexCorrupt(folder, f"{META} has the key {meta.get('key')!r} of another folder")
    if meta.get("retriever") != description(retriever):
        raise IndexCorrupt(folder, f"it is of another retriever than {retriever.name}")
    return meta


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
        # Two renames, so that a reader sees the old folder, none, or the new one.
        folder.rename(draft.parent / "replaced")
        draft.rename(folder)


def _changed_files(folder: Path, expected: object) -> list[str]:
    digests = _digests(folder)
    digests.pop(META, None)
    if not isinstance(expected, dict):
        return [META]
    names = digests.keys() | expected.keys()
    return sorted(name for name in names if digests.get(name) != expected.get(name))


def _digests(folder: Path) -> dict[str, str]:
    """SHA-256 by relative path."""
    return {name: _digest(folder / name) for name in _names(folder)}


def _names(folder: Path) -> list[str]:
    """The files of an index, without hidden ones: tantivy's locks and the seal are not data."""
    paths = (path for path in folder.rglob("*") if path.name[0] != "." and path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def _states(folder: Path) -> dict[str, list[int]]:
    """Size, times and inode of each file: writing to a file, or replacing it, changes them."""
    states = {}
    for name in _names(folder):
        state = (folder / name).stat()
        states[name] = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]
    return states


def _read_seal(folder: Path) -> object:
    """The states in the seal; None without a seal, or when it is not younger than the files."""
    path = folder / SEAL
    try:
        states = json.loads(path.read_bytes())["files"]
        # The file system's own clock, which may differ from this machine's.
        latest = max(max(mtime, ctime) for _, mtime, ctime, _ in states.values())
        return states if path.stat().st_mtime_ns >= latest + SEAL_YOUNGER_NS else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write_seal(folder: Path, states: Mapping[str, list[int]]) -> None:
    """Write the states that the files had before they were read and found intact."""
    # Read-only storage has no seals. There every opening reads all files.
    with suppress(OSError):
        descriptor, draft = tempfile.mkstemp(prefix=SEAL, dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(canonical_json({"files": states}))
            Path(draft).replace(folder / SEAL)
        finally:
            Path(draft).unlink(missing_ok=True)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
