"""`splits.json`: the folds of the queries, in CSFCube's form."""

from __future__ import annotations

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.names import SPLITS
from bundle.splits import splits_payload
from bundle.zip.draft_files import DraftFolder

FILES = (
    FileNote(
        SPLITS,
        "the folds of the queries, {folds}: the development and test set of each, per facet",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    folds = content.snapshot.folds
    if not folds.number:
        return {}
    return {SPLITS: formats.write_json(splits_payload(folds, content.snapshot.queries))}
