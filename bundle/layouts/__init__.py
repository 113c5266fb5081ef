"""The layouts of a bundle: what a community's tools read, or one subject, each in a module.

A layout module has `FILES`, what its files hold, and `write`, which gives the files by their
names. The order of `LAYOUTS` is that of the README. A layout that repeats the labels also has
`FOLDER` and `check`, and one that tools read has loaders.

Verification reads this registry without Django or another package, so a layout imports what only
`write` needs within a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Protocol

from bundle.content import Content, FileNote, Files, LayoutLoader
from bundle.label_errors import layout as label_errors
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
    model_labels,
    pools,
    ratings,
    reports,
    scripts,
    splits,
    trec,
)
from bundle.names import MANIFEST, SUMS
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from bundle.zip.draft_files import DraftFolder


class CheckedLayout(Protocol):
    """A layout in `FOLDER`; `check` compares its labels with those of qrels and ratings."""

    FOLDER: str

    def check(self, data: ReleaseData) -> Iterator[Failure]: ...


LAYOUTS: tuple[ModuleType, ...] = (
    scripts,
    missing_texts,
    trec,
    beir,
    hugging_face,
    mdcr,
    label_errors,
    csfcube,
    splits,
    corpus,
    pools,
    ratings,
    model_labels,
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
CHECKED_LAYOUTS: tuple[CheckedLayout, ...] = (
    *(trec, beir, hugging_face, csfcube),
    *(model_labels, label_errors),
)
LOADERS: tuple[LayoutLoader, ...] = (  # in the order of the pages
    trec.PANDAS,
    trec.IR_MEASURES,
    trec.TREC_EVAL,
    scripts.IR_DATASETS,
    trec.PYTERRIER,
    hugging_face.LOADER,
    beir.LOADER,
)
ABOUT_THE_BUNDLE = (
    FileNote(
        MANIFEST,
        "seeds, parameters, counts, accepted exceptions, a checksum of every file",
    ),
    FileNote(SUMS, f"a checksum of every file, for `sha256sum --check {SUMS}`"),
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
