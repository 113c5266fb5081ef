"""The layouts of a bundle: what a community's tools read, or one subject, each in a module.

A layout module has `FILES`, what its files hold, and `write`, which gives the files by their
names. The registry's order is that of the README.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

from bundle.layouts import (
    beir,
    changelog,
    citation,
    corpus,
    croissant,
    csfcube,
    datasheet,
    guidelines,
    hugging_face,
    interchange,
    licences,
    mdcr,
    missing_texts,
    pools,
    ratings,
    reports,
    scripts,
    splits,
    trec,
)
from bundle.layouts.content import Content, FileNote, Files
from bundle.zip.draft_files import DraftFolder

LAYOUTS: tuple[ModuleType, ...] = (
    scripts,
    missing_texts,
    trec,
    beir,
    hugging_face,
    mdcr,
    csfcube,
    splits,
    corpus,
    pools,
    ratings,
    guidelines,
    reports,
    datasheet,
    changelog,
    citation,
    licences,
    interchange,
)
# Those that describe the other files. Their `write` is given what was written before.
LAST_LAYOUTS: tuple[ModuleType, ...] = (croissant,)
ABOUT_THE_BUNDLE = (
    FileNote(
        "manifest.json",
        "seeds, parameters, counts, accepted exceptions, a checksum of every file",
    ),
    FileNote("SHA256SUMS", "a checksum of every file, for `sha256sum --check SHA256SUMS`"),
)


def file_notes() -> Iterator[FileNote]:
    """The notes on the files of every layout, in the README's order."""
    for layout in (*LAYOUTS, *LAST_LAYOUTS):
        yield from layout.FILES
    yield from ABOUT_THE_BUNDLE


def write_layouts(folder: DraftFolder, content: Content, begin: Callable[[str], None]) -> Files:
    """The files of all layouts; `begin` is called with the name of each. It may raise to stop."""
    files: Files = {}
    for layout in (*LAYOUTS, *LAST_LAYOUTS):
        begin(layout.__name__.rpartition(".")[2])
        described = (dict(files),) if layout in LAST_LAYOUTS else ()
        written = layout.write(folder, content, *described)
        if twice := files.keys() & written.keys():
            raise AssertionError(f"two layouts write {min(twice)}")
        files |= written
    return files
