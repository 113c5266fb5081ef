"""The rows of a collection, found by their foreign keys, and how they are deleted in parts.

So a new table is exported and deleted with its collection, without a change here. See
docs/adr/0028-archive-and-delete.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

from django.apps import apps
from django.db import connection, models
from django.db.models import Model, QuerySet

from accounts.models import Collection, Membership
from corpus.models import Query
from jobs.context import JobContext
from jobs.models import Job
from pooling.models import Pool, PoolBuild
from release.label_samples.models import LabelSample
from retrieval.models import Run

# Rows that have many rows below them. Each is deleted with all of these in one transaction, because
# a slot and its judgment refer to each other.
UNITS: tuple[type[Model], ...] = (Query, Pool, PoolBuild, Run)
# They show the collection and this job to its admins until everything else is gone.
LAST: tuple[type[Model], ...] = (Job, Membership)
AT_ONCE = 2_000  # rows of the other tables that are deleted in one transaction
PAUSE_SECONDS = 0.01  # for other writers on SQLite, see docs/adr/0019-drafts-in-parts.md


class ModelLookup(NamedTuple):
    """A model, and the lookup from its rows to a row of another model."""

    model: type[models.Model]
    path: str

    @property
    def name(self) -> str:
        return self.model._meta.label_lower

    def rows(self, pk: int) -> QuerySet[Model]:
        """Those of a row, also what the default manager leaves out: hidden pools, retired runs."""
        return self.model._base_manager.filter(**{self.path: pk})


def tables_below(root: type[models.Model] = Collection) -> list[ModelLookup]:
    """The tables whose rows belong to a row of `root`, each before the tables that it refers to.

    A table belongs to `root` by the shortest path of foreign keys that are never NULL.
    """
    paths: dict[type[models.Model], str] = {root: ""}
    level: list[type[models.Model]] = [root]
    while level:
        next_level = []
        for parent in level:
            for model, field in _children(parent):
                if model not in paths and not field.null:
                    paths[model] = "__".join(filter(None, [field.name, paths[parent]]))
                    next_level.append(model)
        level = next_level
    del paths[root]
    return [ModelLookup(model, paths[model]) for model in _referring_first(set(paths))]


def _referring_first(models_below: set[type[models.Model]]) -> list[type[models.Model]]:
    sorter: TopologicalSorter[type[models.Model]] = TopologicalSorter()
    for model in sorted(models_below, key=lambda model: model._meta.label):
        referring = [child for child, field in _children(model) if not _closes_cycle(child, field)]
        sorter.add(model, *(child for child in referring if child in models_below))
    return list(sorter.static_order())


def _closes_cycle(model: type[models.Model], field: models.ForeignKey[Any, Any]) -> bool:
    """Return whether the table that it refers to needs this table, as a judgment needs its slot."""
    target: Any = field.related_model
    return field.null and any(child is target and not back.null for child, back in _children(model))


@cache  # it looks at each column of each table
def _children(
    parent: type[models.Model],
) -> tuple[tuple[type[models.Model], models.ForeignKey[Any, Any]], ...]:
    """The tables with a foreign key to `parent`, by name, and that key."""
    return tuple(
        (model, field)
        for model in sorted(apps.get_models(), key=lambda model: model._meta.label)
        if not model._meta.proxy
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and field.related_model is parent
    )


def delete_rows(collection: Collection, work: JobContext) -> None:
    """Delete the rows of a collection that is marked as being deleted, but those of `LAST`.

    Each part is a transaction. Without the mark, the rules of the database refuse.
    """
    below_units = {table.model for unit in UNITS for table in tables_below(unit)} - {*UNITS}
    tables = [table for table in tables_below() if table.model not in {*LAST, *below_units}]
    total = sum(table.rows(collection.pk).count() for table in tables)
    done = 0
    for parts in _parts(tables, collection):
        with work.fenced():
            # The last part is of the table that is counted.
            done += [_delete(rows) for rows in parts][-1]
        work.progress(min(done, total), total, "rows deleted")
        if connection.vendor == "sqlite":
            time.sleep(PAUSE_SECONDS)


def delete_last_rows(collection: Collection) -> None:
    """Delete the rows of `LAST` and the collection's own. Needs a transaction."""
    LabelSample.objects.filter(origin=collection).update(origin=None)
    for model in LAST:
        _delete(model._base_manager.filter(collection=collection))
    _delete(Collection._base_manager.filter(pk=collection.pk))


def _parts(tables: list[ModelLookup], collection: Collection) -> Iterator[list[QuerySet[Model]]]:
    """The rows to delete in one transaction, again and again until no row is left."""
    for unit in (table for model in UNITS for table in tables if table.model is model):
        below = tables_below(unit.model)
        for pk in list(unit.rows(collection.pk).order_by("pk").values_list("pk", flat=True)):
            children = [table.rows(pk) for table in below]
            yield [*children, unit.model._base_manager.filter(pk=pk)]
    for table in tables:
        rows = table.rows(collection.pk).order_by("pk")
        while rows.exists():
            yield [table.model._base_manager.filter(pk__in=rows.values("pk")[:AT_ONCE])]


def _delete(rows: QuerySet[Model]) -> int:
    """Delete without Django's cascade, which loads the rows that refer to these."""
    count: int = rows.order_by()._raw_delete(connection.alias)
    return count
