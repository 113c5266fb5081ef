"""The commands that load a bundle, for the pages of a version. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from bundle.content import UnpackedBundle
from bundle.layouts import LOADERS
from bundle.layouts.trec import scored_runs
from bundle.names import SUMS


class LoadingCommand(NamedTuple):
    """Code with a title. `key` is the id of its element."""

    key: str
    title: str
    code: str


@dataclass(frozen=True)
class Loading(UnpackedBundle):
    """The commands that unpack a bundle and load it."""

    @property
    def unpacking(self) -> str:
        name = self.folder
        return f"unzip {name}.zip -d {name}\n(cd {name} && sha256sum --check --quiet {SUMS})"

    @property
    def commands(self) -> list[LoadingCommand]:
        return [
            LoadingCommand(loader.key, loader.title, code)
            for loader in LOADERS
            if (code := loader.code(self))
        ]


def files_used(files: Collection[str]) -> list[str]:
    """Those of the files that commands name, so that a page need not store all of them."""
    used = {SUMS, *(name for loader in LOADERS for name in loader.reads)}
    return sorted({*(used & set(files)), *scored_runs(files)[:1]})
