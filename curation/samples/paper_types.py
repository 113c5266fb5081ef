"""The types of paper that the screeners of a collection choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, ProtectedError
from django.utils.text import slugify

from accounts.locking import lock_collection
from accounts.models import Collection
from curation.models import PaperType
from web.errors import UserFacingError

MOST_TYPES = 20
LONGEST_NAME = 60
LONGEST_KEY = 30


class TypePlan(NamedTuple):
    """A type of the list. Without a `key` it is a new one."""

    name: str
    is_excluded: bool = False
    key: str = ""


# Of CSFCube (Mysore et al., 2021, section 3), which chose no survey as a query paper.
DEFAULT_TYPES = (
    TypePlan("Application or tool", key="application"),
    TypePlan("Empirical or data-driven", key="empirical"),
    TypePlan("Resources and evaluation", key="resources"),
    TypePlan("Theoretical", key="theoretical"),
    TypePlan("Survey", is_excluded=True, key="survey"),
)


class PaperTypeError(UserFacingError):
    """A list of paper types that a collection cannot have."""


def type_plans(collection: Collection) -> list[TypePlan]:
    """The collection's types in order; the default ones until it has its own."""
    rows = collection.paper_types.values_list("name", "is_excluded", "key")
    return [TypePlan(*row) for row in rows] or list(DEFAULT_TYPES)


def create_default_types(collection: Collection) -> None:
    """Give the collection CSFCube's types if it has none. The caller has the lock."""
    if not collection.paper_types.exists():
        PaperType.objects.bulk_create(
            PaperType(collection=collection, position=position, **plan._asdict())
            for position, plan in enumerate(DEFAULT_TYPES)
        )


def change_paper_types(*, collection: Collection, plans: Sequence[TypePlan]) -> None:
    """Replace the collection's list of types, in the order of the plans.

    Raises:
        PaperTypeError: a name is missing, too long or there twice; every type is excluded; a type
            that a screener chose would be removed; or a key is unknown.
    """
    _check(plans)
    try:
        with transaction.atomic():
            lock_collection(collection)
            create_default_types(collection)
            _replace(collection, plans)
    except ProtectedError as error:
        kept_keys = {plan.key for plan in plans}
        used_types = collection.paper_types.filter(screenings__isnull=False).distinct()
        names = [row.name for row in used_types if row.key not in kept_keys]
        raise PaperTypeError(
            f"{', '.join(names)} cannot be removed, because screeners chose it. Rename it, or "
            "exclude its papers."
        ) from error


def _replace(collection: Collection, plans: Sequence[TypePlan]) -> None:
    rows = {row.key: row for row in collection.paper_types.all()}
    kept_keys = {plan.key for plan in plans if plan.key}
    if unknown := kept_keys - set(rows):
        raise PaperTypeError(f"Unknown paper type {min(unknown)!r}. Reload the page.")
    collection.paper_types.exclude(key__in=kept_keys).delete()
    # Two types cannot have the same position, even for a moment.
    collection.paper_types.update(position=F("position") + len(rows) + len(plans))
    for position, plan in enumerate(plans):
        if plan.key:
            row = rows[plan.key]
        else:
            row = PaperType(collection=collection, key=_free_key(plan.name, set(rows)))
            rows[row.key] = row
        row.name, row.is_excluded, row.position = plan.name, plan.is_excluded, position
        row.save()


def _free_key(name: str, keys: set[str]) -> str:
    start = slugify(name)[: LONGEST_KEY - 3].strip("-") or "type"
    numbered = (f"{start}-{number}" for number in range(2, MOST_TYPES + 2))
    return next(key for key in (start, *numbered) if key not in keys)


def _check(plans: Sequence[TypePlan]) -> None:
    if not 1 <= len(plans) <= MOST_TYPES:
        raise PaperTypeError(f"A list has 1 to {MOST_TYPES} paper types, got {len(plans)}.")
    names = [plan.name.casefold() for plan in plans]
    for plan in plans:
        if not plan.name or len(plan.name) > LONGEST_NAME:
            raise PaperTypeError(
                f'Invalid paper type "{plan.name}". Its name must have 1 to {LONGEST_NAME} '
                "characters."
            )
        if names.count(plan.name.casefold()) > 1:
            raise PaperTypeError(f'The paper type "{plan.name}" is there twice. Remove one.')
    if all(plan.is_excluded for plan in plans):
        raise PaperTypeError("Every paper type is excluded. Include at least one.")
