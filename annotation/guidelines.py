"""The guideline: one per facet, in versions. A judgment knows the version that was in force."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max, OuterRef, QuerySet, Subquery

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from annotation.models import Guideline
from web.errors import BadInput


def guided_facets(collection: Collection) -> list[str]:
    """What has a guideline of its own: each facet, and "" for queries without one."""
    asks_whole = not collection.facets or collection.queries.filter(facet="").exists()
    return [*collection.facets, *([""] if asks_whole else [])]


def version_in_force(collection: Collection, facet: str) -> int:
    """0 where there is no guideline yet."""
    of_facet = Guideline.objects.filter(collection=collection, facet=facet)
    return of_facet.aggregate(newest=Max("version"))["newest"] or 0


def guideline_in_force(collection: Collection, facet: str) -> Guideline:
    """The newest version; an empty one, not saved, where there is none yet."""
    newest = Guideline.objects.filter(collection=collection, facet=facet).order_by("-version").first()
    return newest or Guideline(collection=collection, facet=facet, version=0)


def guidelines_in_force(collection: Collection) -> QuerySet[Guideline]:
    newest = Guideline.objects.filter(collection=collection, facet=OuterRef("facet")).order_by("-version")
    return Guideline.objects.filter(collection=collection, pk=Subquery(newest.values("pk")[:1])).order_by("facet")


@transaction.atomic
def save_guideline(
    *,
    collection: Collection,
    facet: str,
    text: str,
    grades: Sequence[dict[str, str]],
    change: str,
    by: User | None,
) -> Guideline:
    """A new version, if anything differs from the one in force."""
    lock_collection(collection)
    if facet not in guided_facets(collection):
        raise BadInput(f"{collection} has no facet {facet!r}.")
    if len(grades) != len(collection.grades):
        raise BadInput(f"Give a definition for each of the {len(collection.grades)} grades, got {len(grades)}.")
    current = guideline_in_force(collection, facet)
    if current.pk and (current.text, current.grades) == (text, list(grades)):
        return current
    record(Verb.GUIDELINE, collection=collection, object=facet and f"of {facet}", version=current.version + 1, by=by)
    return Guideline.objects.create(
        collection=collection,
        facet=facet,
        version=current.version + 1,
        text=text,
        grades=list(grades),
        change=change,
        created_by=by,
    )


def grade_rows(guideline: Guideline, collection: Collection) -> list[dict[str, object]]:
    """The grades from the highest, each with number, name, definition and examples."""
    rows = []
    for number, name in enumerate(collection.grades):
        said = guideline.grades[number] if number < len(guideline.grades) else {}
        rows.append({"number": number, "name": name, "definition": "", "examples": ""} | said)
    return rows[::-1]
