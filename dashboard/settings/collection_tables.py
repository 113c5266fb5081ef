"""The tables whose rows are downloaded with a collection, and how many rows they have."""

from __future__ import annotations

from django.db import models

from accounts.models import Collection
from adjudication.models import CaseCount, DueCount, SpotCheckCount
from annotation.models import PairCount, SlotCount
from release.importing.collection_rows import ModelLookup, tables_below
from release.models import AnnotatorProfile

KEPT_BY_TRIGGERS: tuple[type[models.Model], ...] = (
    CaseCount,
    DueCount,
    PairCount,
    SlotCount,
    SpotCheckCount,
)
# Annotators were promised that what they say of themselves is stored once, and can be deleted.
NOT_EXPORTED = (*KEPT_BY_TRIGGERS, AnnotatorProfile)


def exported_tables() -> list[ModelLookup]:
    """The tables whose rows are downloaded with a collection, by name."""
    tables = [ModelLookup(Collection, "pk"), *tables_below()]
    kept = (table for table in tables if table.model not in NOT_EXPORTED)
    return sorted(kept, key=lambda table: table.name)


def row_counts(collection: Collection) -> dict[str, int]:
    """The number of rows of the collection in each of `exported_tables`, hidden ones too."""
    return {table.name: table.rows(collection.pk).count() for table in exported_tables()}
