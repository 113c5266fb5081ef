"""The change of a collection's facets and scale, before its first query is open."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import models, transaction

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection
from annotation.guidelines.defaults import default_guideline, with_names
from annotation.models import GuidelineText, Opening
from annotation.services import JudgingConflict, write_guideline
from corpus.facets import FacetPlan, check_facets
from corpus.models import Facet
from corpus.services import scale_of
from web.words import count_noun


class FixedOnceOpened(JudgingConflict):
    """A query of the collection is open, so its facets and scale stay as they are."""


class FacetInUse(JudgingConflict):
    """A facet cannot be removed, because queries have it."""


def facets_of(collection: Collection) -> tuple[FacetPlan, ...]:
    rows = collection.facets.values_list("key", "name", "labels")
    return tuple(FacetPlan(key, name, tuple(labels)) for key, name, labels in rows)


def is_open(collection: Collection) -> bool:
    """Return whether a query is open for judging, which fixes facets and scale."""
    return Opening.objects.of(collection).exists()


def change_facets_and_scale(
    *,
    collection: Collection,
    facets: Sequence[FacetPlan],
    highest_grade: int,
    relevant_from: int | None = None,
    grade_names: Sequence[str] = (),
) -> Collection:
    """Give the collection these facets and this scale. Unchanged ones stay as they are.

    A facet whose key stays keeps its queries and guidelines. A new facet, and every facet when the
    scale gets other grades, is given the default guideline as its newest. `grade_names` are the
    names of the grades, from grade 0, under every facet; an empty name changes nothing.

    Raises:
        FixedOnceOpened: a query is open, and something would change.
        FacetInUse: a query has a facet that would be removed.
        FacetError, CorpusError: the facets or the scale are invalid.
    """
    check_facets(facets)
    scale = scale_of(highest_grade, relevant_from)
    with transaction.atomic():
        collection = lock_collection(collection)
        before = (collection.highest_grade, collection.relevant_from)
        if facets_of(collection) == tuple(facets) and before == scale and not any(grade_names):
            return collection
        _check_not_open(collection)
        if before != scale:
            collection.highest_grade, collection.relevant_from = scale
            collection.save(update_fields=scale._fields)
        replaced = facets_of(collection) != tuple(facets)
        if replaced:
            _replace_facets(collection, facets)
        changed = {"facets": replaced, "scale": before != scale, "grade_names": any(grade_names)}
        record_action(
            kind=ActionKind.SETTINGS_CHANGED,
            collection=collection,
            details={"changed": [name for name, is_changed in changed.items() if is_changed]},
        )
        _complete_guidelines(collection, grade_names)
    return collection


def _check_not_open(collection: Collection) -> None:
    opened = Opening.objects.of(collection).count()
    if opened:
        raise FixedOnceOpened(
            f"{count_noun(opened, 'query', 'queries')} of {collection.slug} "
            f"{'is' if opened == 1 else 'are'} open for judging, so its facets and its scale "
            "cannot change. Create another collection to judge on others."
        )


def _replace_facets(collection: Collection, plans: Sequence[FacetPlan]) -> None:
    facets = {facet.key: facet for facet in collection.facets.all()}
    removed = [facet for key, facet in facets.items() if key not in {plan.key for plan in plans}]
    _check_without_queries(removed)
    # A row cannot take the position of one that comes later, so all of them step aside first.
    Facet.objects.filter(pk__in=[facet.pk for facet in removed]).delete()
    collection.facets.update(position=models.F("position") + len(facets) + len(plans))
    for position, plan in enumerate(plans):
        values = {"name": plan.name, "labels": list(plan.labels), "position": position}
        collection.facets.update_or_create(key=plan.key, defaults=values)


def _check_without_queries(removed: Sequence[Facet]) -> None:
    for facet in removed:
        queries = facet.queries.count()
        if queries:
            raise FacetInUse(
                f"{count_noun(queries, 'query', 'queries')} "
                f"{'is a' if queries == 1 else 'are'} {facet.name.lower()} "
                f"{'query' if queries == 1 else 'queries'}, so this facet cannot be removed. "
                "Remove the queries first, or keep the facet."
            )


def _complete_guidelines(collection: Collection, grade_names: Sequence[str]) -> None:
    """A guideline for every facet whose newest lacks grades of the scale or has other names."""
    for facet in collection.facets.all():
        newest = _newest_text(facet, collection.highest_grade)
        text = newest or default_guideline(facet, collection.highest_grade)
        named = with_names(text, grade_names)
        if named != newest:
            write_guideline(facet=facet, **named)


def _newest_text(facet: Facet, highest_grade: int) -> GuidelineText | None:
    """The facet's newest guideline; None if it does not describe the grades of this scale."""
    newest = facet.guidelines.first()
    if newest is None:
        return None
    described = [grade.get("grade") for grade in newest.grades]
    if described != list(range(highest_grade + 1)):
        return None
    return {"instructions": newest.instructions, "grades": newest.grades}


def default_grade_names(
    plans: Sequence[FacetPlan], highest_grade: int, collection: Collection | None = None
) -> list[str]:
    """The default name of each grade. Names that differ by facet are joined.

    A facet that `collection` has keeps the names of its newest guideline, if they fit the scale.
    """
    facets = {facet.key: facet for facet in collection.facets.all()} if collection else {}
    names: list[dict[str, None]] = [{} for _ in range(highest_grade + 1)]
    for plan in plans:
        kept = facets.get(plan.key)
        text = _newest_text(kept, highest_grade) if kept else None
        text = text or default_guideline(Facet(key=plan.key, name=plan.name), highest_grade)
        for grade, found in zip(text["grades"], names, strict=True):
            found[grade["name"]] = None
    return [", ".join(found) for found in names]
