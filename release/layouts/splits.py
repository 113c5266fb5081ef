"""`splits.json`: the folds of the queries, in CSFCube's form."""

from __future__ import annotations

from release import formats
from release.draft_files import DraftFolder
from release.layouts.content import Content, FileNote, Files
from release.splits import splits_payload

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
