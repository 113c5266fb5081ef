"""The files of a bundle as a tree of folders with their sizes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class FileEntry(NamedTuple):
    name: str  # without the folder
    path: str
    size: int
    sha256: str


LISTED = 200  # files of a folder; one with a file for each query can have thousands


@dataclass
class FolderNode:
    """`size` and `count` include the folders in it. `files` has the first files, by name."""

    name: str
    folders: list[FolderNode] = field(default_factory=list)
    files: list[FileEntry] = field(default_factory=list)
    size: int = 0
    count: int = 0
    unlisted: int = 0

    def folder(self, name: str) -> FolderNode:
        """The folder of that name in this one; files come in the order of their paths."""
        found = next((each for each in self.folders if each.name == name), None)
        if found is None:
            found = FolderNode(name)
            self.folders.append(found)
        return found


def file_tree(files: Mapping[str, Mapping[str, Any]]) -> FolderNode:
    """The tree of the manifest's `files`: bytes and SHA-256 by path."""
    root = FolderNode("")
    for path in sorted(files):
        *names, name = path.split("/")
        size = files[path]["bytes"]
        for folder in _way(root, names):
            folder.size += size
            folder.count += 1
        if len(folder.files) < LISTED:
            folder.files.append(FileEntry(name, path, size, files[path]["sha256"]))
        else:
            folder.unlisted += 1
    return root


def _way(root: FolderNode, names: Iterable[str]) -> list[FolderNode]:
    way = [root]
    for name in names:
        way.append(way[-1].folder(name))
    return way
