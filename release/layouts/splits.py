"""`splits.json`: the two folds of the queries, in CSFCube's form."""

from __future__ import annotations

from release import formats
from release.draft_files import DraftFolder
from release.layouts.content import Content, FileNote, Files
from release.splits import splits_payload

NAME = "splits.json"
FILES = (
    FileNote(NAME, "two folds of the queries: the development and test set of each, per facet"),
)


def write(folder: DraftFolder, content: Content) -> Files:
    splits = splits_payload(content.snapshot.folds, content.snapshot.queries)
    return {NAME: formats.write_json(splits)} if splits else {}
