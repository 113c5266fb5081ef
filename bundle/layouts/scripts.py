"""Scripts for the reader of a bundle: the files of `bundle/reader_scripts/`."""

from __future__ import annotations

from pathlib import Path

from bundle.content import Content, FileNote, Files, LayoutLoader, UnpackedBundle
from bundle.zip.draft_files import DraftFolder

FOLDER = Path(__file__).resolve().parent.parent / "reader_scripts"
LOADER = "load_ir_datasets.py"
FILES = (FileNote(LOADER, "registers the unpacked release with `ir_datasets`, without a download"),)


def write(folder: DraftFolder, content: Content) -> Files:
    return {LOADER: bundled(LOADER)}


def bundled(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def _ir_datasets(bundle: UnpackedBundle) -> str:
    if LOADER not in bundle.files:
        return ""
    return (
        f'import sys\n\nsys.path.insert(0, "{bundle.folder}")\n'
        "import ir_datasets\nimport load_ir_datasets\n\n"
        "dataset = ir_datasets.load(load_ir_datasets.NAME)\n"
        "print(sum(1 for _ in dataset.qrels_iter()))"
    )


IR_DATASETS = LayoutLoader("ir-datasets", "ir_datasets", _ir_datasets, (LOADER,))
