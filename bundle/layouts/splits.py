"""`splits.json`: the folds of the queries, in CSFCube's form."""

from __future__ import annotations

from bundle.formats import records as formats
from bundle.layouts.content import Content, FileNote, Files
from bundle.splits import splits_payload
from bundle.zip.draft_files import DraftFolder

NAME = "splits.json"
FILES = (
    FileNote(
        NAME,
        "the folds of the queries, {folds}: the development and test set of each, per facet",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    folds = content.snapshot.folds
    if not folds.number:
        return {}
    return {NAME: formats.write_json(splits_payload(folds, content.snapshot.queries))}
