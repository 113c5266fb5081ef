"""The imported parts of a release: documents, and judgments made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Sum

from accounts.models import Collection
from annotation.models import SlotCount
from bundle.records import ReleasedCorpusImport, ReleasedImport, ReleasedStep
from corpus.documents.history import steps_of


def judgment_imports(collection: Collection) -> tuple[ReleasedImport, ...]:
    """By their files, so that the order does not depend on when they were imported."""
    rows = collection.judgment_imports.order_by().values_list("files", "judgments", "decisions")
    return tuple(sorted((ReleasedImport(*row) for row in rows), key=lambda row: sorted(row.files)))


def corpus_imports(collection: Collection) -> tuple[ReleasedCorpusImport, ...]:
    """In their order, because a later import can replace documents of an earlier one."""
    rows = collection.document_imports.order_by("pk").prefetch_related("steps")
    return tuple(
        ReleasedCorpusImport(
            source=row.source,
            format=row.format_name,
            recipe=row.recipe,
            created=row.created,
            updated=row.updated,
            unchanged=row.unchanged,
            steps=tuple(ReleasedStep(*step) for step in steps_of(row)),
        )
        for row in rows
    )


def judged_here(collection: Collection, imports: Sequence[ReleasedImport]) -> bool:
    judged = SlotCount.objects.filter(query__collection=collection).aggregate(sum=Sum("judged"))
    return (judged["sum"] or 0) > sum(row.judgments for row in imports)
