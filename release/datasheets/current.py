"""The facts of a datasheet that come from the database, in few queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TypedDict

from accounts.models import Collection
from bundle.datasheet.profiles import DEFAULT_LEAST, FIELDS, PublishedField, published
from bundle.datasheet.questions import required_questions, unanswered
from pooling.provenance import IMPORTED
from release.datasheets.models import AnnotatorProfile, DatasheetAnswer, ProfileThreshold


def answers_of(collection: Collection) -> dict[str, str]:
    """The answers by question, sorted."""
    rows = DatasheetAnswer.objects.filter(collection=collection).order_by()
    return dict(sorted(rows.values_list("question", "text")))


def missing_answers(collection: Collection, *, judged: bool = True) -> list[str]:
    """The labels of the required questions without an answer, for a release of judgments or not."""
    rows = DatasheetAnswer.objects.filter(collection=collection).order_by()
    answered = set(rows.values_list("question", flat=True))
    return unanswered(answered, dates_known=dates_known(collection), judged=judged)


class DatasheetProgress(TypedDict):
    """The number of required questions, and of those with an answer."""

    required: int
    answered: int


def progress_of(collection: Collection) -> DatasheetProgress:
    known = dates_known(collection)
    required = len(required_questions(dates_known=known))
    missing = unanswered(answers_of(collection), dates_known=known)
    return {"required": required, "answered": required - len(missing)}


def dates_known(collection: Collection) -> bool:
    """Return whether all judgments were made here, so that the database has their days.

    A build of pools that names its source came with the judgments, like CSFCube's release.
    """
    if collection.judgment_imports.exists():
        return False
    sources = collection.pool_builds.order_by().values_list("manifest__source", flat=True)
    return not {source for source in sources if source} - {IMPORTED}


def least_people(collection: Collection) -> int:
    rows = ProfileThreshold.objects.filter(collection=collection)
    return rows.values_list("least_people", flat=True).first() or DEFAULT_LEAST


def published_profiles(collection: Collection) -> tuple[PublishedField, ...]:
    """The groups of annotators that are large enough; empty if no person has a profile."""
    profiles = AnnotatorProfile.objects.filter(collection=collection).order_by()
    keys = [field.key for field in FIELDS]
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for values in profiles.values_list(*keys):
        for key, value in zip(keys, values, strict=True):
            counts[key][value] += 1
    return published(counts, least_people(collection)) if counts else ()


def profiles_count(collection: Collection) -> int:
    """The number of people with a profile."""
    return AnnotatorProfile.objects.filter(collection=collection).count()
