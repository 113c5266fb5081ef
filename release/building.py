"""From tables to the bytes of a release: the same tables and options, the same zip on every machine."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from accounts.models import Collection
from release import changes, datasheet, gate, verify
from release.croissant import croissant
from release.formats import Files, csv_files, json_file, write_formats
from release.formats.huggingface import configs
from release.formats.models import about
from release.models import Release
from release.tables import Tables, consistent_read, count, read_tables
from retrieval.models import JUDGMENTS, QRELS

DRAFT = "draft"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can say
UNIX = 3
READABLE_FILE = 0o100644 << 16


@dataclass(frozen=True)
class Built:
    content: bytes
    manifest: dict[str, Any]
    before: Release | None  # the version that its changes are against
    blocking: list[gate.Finding]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def build_release(
    collection: Collection,
    *,
    version: str,
    reasons: dict[str, str],
    with_texts: bool,
    with_models: bool = False,
    notes: str = "",
) -> Built:
    """A release of the labels as they are now; whether it may be published is the caller's to ask (`blocking`)."""
    with consistent_read():
        collection = Collection.objects.get(pk=collection.pk)
        found = gate.findings(collection)
        tables = read_tables(collection, with_texts=with_texts, with_models=with_models)
        before = collection.releases.first()
    files = write_formats(tables)
    manifest: dict[str, Any] = {
        "format": 1,
        "software": {"name": "Qrelsmith", "version": settings.VERSION},
        "version": version,
        "collection": {
            key: getattr(collection, key)
            for key in ("slug", "name", "licence", "seed", "facets", "grades", "relevant_from")
        },
        "with_texts": with_texts,
        "notes": notes,
        "counts": count(tables),
        "exceptions": gate.exceptions(found, reasons),
        "judges_with_sources": tables.judges_with_sources,
        "judged_elsewhere": sum(row["seconds"] is None for row in tables.ratings),
        "qrels": tables.qrels_files,
        "runs": tables.runs,
        "models": [about(model) for model in tables.models],
        "changes": {},
    }
    if before:
        old = changes.published_grades(before)
        rows = changes.changed_rows(old, changes.grades_of(tables.qrels))
        manifest["changes"] = changes.summary(before.version, old, rows)
        files["CHANGES.csv"] = csv_files.table("CHANGES.csv", rows)
    if tables.agreement:
        files["agreement.json"] = json_file(tables.agreement)
    files |= documentation(tables, manifest, files)
    files["croissant.json"] = json_file(croissant(tables, manifest, files))
    manifest["files"] = {
        name: {"bytes": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()} for name in sorted(files)
    }
    files["MANIFEST.json"] = json_file(manifest | {"pools": tables.pools})
    return Built(pack(files), manifest, before, gate.blocking(found, reasons))


def documentation(tables: Tables, manifest: dict[str, Any], files: Files) -> Files:
    context = {
        "tables": tables,
        "collection": tables.collection,
        "manifest": manifest,
        "is_draft": manifest["version"] == DRAFT,
        "files": files,
        "has_csfcube": any(name.startswith("csfcube/") for name in files),
        "has_folds": any(query["fold"] for query in tables.queries),
        "configs": configs(files),
        "sources": sorted({row["source"] for row in tables.candidates} - {QRELS, JUDGMENTS}),
        "drawn": sum(row["source"] not in (QRELS, JUDGMENTS) for row in tables.candidates),
        "sections": [
            (title, [(question, tables.datasheet.get(question.key, "")) for question in questions])
            for title, questions in datasheet.SECTIONS.items()
        ],
    }
    written = {
        name: render_to_string(f"release/files/{name}", context).encode()
        for name in ("README.md", "DATASHEET.md", "GUIDELINE.md")
    }
    about = {
        "description": tables.collection.description,
        "merged_labels": tables.collection.merged_labels,
        "guidelines": [
            {key: getattr(each, key) for key in ("facet", "version", "text", "grades")} for each in tables.guidelines
        ],
        "datasheet": tables.datasheet,
    }
    return written | {"collection.json": json_file(about), "verify.py": Path(verify.__file__).read_bytes()}


def pack(files: Files) -> bytes:
    """Stored, not deflated: what zlib makes of the same bytes differs between its versions. No times, sorted names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system = UNIX  # or that of the machine would be written
            entry.external_attr = READABLE_FILE
            archive.writestr(entry, files[name])
    return buffer.getvalue()
