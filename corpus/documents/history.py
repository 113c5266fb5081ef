"""The history of the corpus: its imports with their steps, recorded and read again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from accounts.models import Collection
from corpus.formats.sources import Source
from corpus.models import DocumentImport, ImportStep

LONGEST_FORMATS = 200  # characters
FOLDERS = re.compile(r"^(?!ir_datasets:).*/")  # a release must not show where files were


class HistoryStep(NamedTuple):
    """A step of an import in words, with the numbers of documents removed and remaining."""

    name: str
    removed: int
    remaining: int


def record_import(
    *,
    collection: Collection,
    source: Source,
    recipe: Mapping[str, object],
    steps: Iterable[HistoryStep],
    counts: tuple[int, int, int],
) -> None:
    """Record an import inside its transaction. `counts` are documents created, updated, unchanged.

    An import that changes nothing and equals an earlier one adds nothing, so a repeated import
    leaves the collection as it was.
    """
    steps = list(steps)
    created, updated, unchanged = counts
    read = steps[0].remaining
    name = FOLDERS.sub("", source.name)
    if not (created or updated) and _is_recorded(collection, name, recipe, steps):
        return
    row = collection.document_imports.create(
        source=name,
        format_name=source.format_name[:LONGEST_FORMATS],
        recipe=recipe,
        read=read,
        created=created,
        updated=updated,
        unchanged=unchanged,
    )
    ImportStep.objects.bulk_create(
        ImportStep(document_import=row, position=position, **step._asdict())
        for position, step in enumerate(steps)
    )


def _is_recorded(
    collection: Collection, source: str, recipe: Mapping[str, object], steps: list[HistoryStep]
) -> bool:
    rows = collection.document_imports.filter(source=source, read=steps[0].remaining)
    return any(
        row.recipe == recipe and steps_of(row) == steps for row in rows.prefetch_related("steps")
    )


def steps_of(row: DocumentImport) -> list[HistoryStep]:
    """Its steps in their order. Prefetch them."""
    return [HistoryStep(step.name, step.removed, step.remaining) for step in row.steps.all()]
