"""The versions of guidelines that judges must read before they go on.

The first version of a facet's guideline is beside every pair. A later one is news to those who know
an earlier one, so it is read once as a whole.
"""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, QuerySet

from accounts.locking import check_not_archived
from accounts.models import Collection, User
from annotation.models import Guideline, GuidelineReading, Repeat, SlotCount


def unread_guidelines(collection: Collection, annotator: User) -> QuerySet[Guideline]:
    """Those of the annotator's queries with pairs left."""
    left = SlotCount.objects.filter(
        annotator=annotator,
        judged__lt=F("total"),
        query__collection=collection,
        query__opening__guideline=OuterRef("pk"),
    )
    repeats = Repeat.objects.for_annotator(annotator).of(collection).unjudged().shown()
    repeats_left = repeats.filter(query__opening__guideline=OuterRef("pk"))
    versions = Guideline.objects.filter(Exists(left) | Exists(repeats_left), version__gt=1)
    return versions.exclude(readings__reader=annotator).select_related("facet")


def must_read(guideline: Guideline, annotator: User) -> bool:
    """Return whether the annotator cannot judge by it yet."""
    return guideline.version > 1 and not guideline.readings.filter(reader=annotator).exists()


def record_reading(guideline: Guideline, reader: User) -> None:
    """Record that the person has read it, once. Raises CollectionArchived."""
    check_not_archived(guideline.facet.collection)
    GuidelineReading.objects.get_or_create(guideline=guideline, reader=reader)
