"""Scripts for the reader of a bundle: the files of `bundle/reader_scripts/`."""

from __future__ import annotations

from pathlib import Path

from bundle.layouts.content import Content, FileNote, Files
from bundle.zip.draft_files import DraftFolder

FOLDER = Path(__file__).resolve().parent.parent / "reader_scripts"
LOADER = "load_ir_datasets.py"
FILES = (FileNote(LOADER, "registers the unpacked release with `ir_datasets`, without a download"),)


def write(folder: DraftFolder, content: Content) -> Files:
    return {LOADER: bundled(LOADER)}


def bundled(name: str) -> bytes:
    return (FOLDER / name).read_bytes()
