"""The tables that hold a collection's rows, found by their foreign keys.

So a new table is exported and deleted with its collection, without a change here.
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import Any, NamedTuple

from django.apps import apps
from django.db import models

from accounts.models import Collection


class Table(NamedTuple):
    """A model, and the lookup from its rows to a row of another model."""

    model: type[models.Model]
    path: str

    @property
    def name(self) -> str:
        return self.model._meta.label_lower


def tables_below(root: type[models.Model] = Collection) -> list[Table]:
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
    return [Table(model, paths[model]) for model in _referring_first(set(paths))]


def _referring_first(models_below: set[type[models.Model]]) -> list[type[models.Model]]:
    sorter: TopologicalSorter[type[models.Model]] = TopologicalSorter()
    for model in sorted(models_below, key=lambda model: model._meta.label):
        referring = [child for child, field in _children(model) if not _closes_cycle(child, field)]
        sorter.add(model, *(child for child in referring if child in models_below))
    return list(sorter.static_order())


def _closes_cycle(model: type[models.Model], field: models.ForeignKey[Any, Any]) -> bool:
    """Whether the table that it refers to needs this table, as a judgment needs its slot."""
    target: Any = field.related_model
    return field.null and any(child is target and not back.null for child, back in _children(model))


def _children(
    parent: type[models.Model],
) -> list[tuple[type[models.Model], models.ForeignKey[Any, Any]]]:
    """The tables with a foreign key to `parent`, by name, and that key."""
    return [
        (model, field)
        for model in sorted(apps.get_models(), key=lambda model: model._meta.label)
        if not model._meta.proxy
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and field.related_model is parent
    ]
