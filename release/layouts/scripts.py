"""Scripts for the reader of a bundle. They are the files of `release/bundled/`, as they are."""

from __future__ import annotations

from pathlib import Path

from release.draft_files import DraftFolder
from release.layouts.content import Content, FileNote, Files

FOLDER = Path(__file__).resolve().parent.parent / "bundled"
LOADER = "load_ir_datasets.py"
FILES = (FileNote(LOADER, "registers the unpacked release with `ir_datasets`, without a download"),)


def write(folder: DraftFolder, content: Content) -> Files:
    return {LOADER: bundled(LOADER)}


def bundled(name: str) -> bytes:
    return (FOLDER / name).read_bytes()
