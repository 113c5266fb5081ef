"""Writes the tags of errors, and counts them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, QuerySet

from accounts.locking import lock_collection
from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from annotation.models import Pair
from corpus.models import Query
from evaluation.error_browser.finding import ErrorKind, kind_of
from evaluation.error_browser.models import LONGEST_TYPE, ErrorTag
from scoring.models import System
from scoring.systems.lists import list_for
from web.errors import UserFacingError

# The difficulties that Mysore et al. (2021) found in the errors of their best system.
DEFAULT_TYPES = (
    "multiple aspects",
    "salient aspects",
    "mechanism",
    "domain-specific term",
    "qualitative result",
    "context",
)
LONGEST_NOTE = 4_000


class TagError(UserFacingError):
    """A tag that cannot be saved. The message is for the person who asked."""


def tag_error(
    *, system: System, pair: Pair, error_type: str, note: str = "", tagged_by: User | None
) -> ErrorTag:
    """Give a pair that the system ranks wrongly a type of error; a second time changes the note.

    The type is an existing one if it differs only in case or spaces.

    Raises TagError for an empty type, a type or note that is too long, a pair without a final
    label, and a system that was removed.
    """
    error_type = " ".join(error_type.split())
    if not 1 <= len(error_type) <= LONGEST_TYPE or not error_type.isprintable():
        raise TagError(
            f"An error type has 1 to {LONGEST_TYPE} printable characters, got {error_type!r}."
        )
    if len(note) > LONGEST_NOTE:
        raise TagError(f"A note has at most {LONGEST_NOTE:,} characters, got {len(note):,}.")
    with transaction.atomic():
        collection = lock_collection(system.collection)
        if not collection.systems.filter(pk=system.pk).exists():
            raise TagError(f"The system {system} was removed, so nothing was saved.")
        grade = final_grades(collection, pair.query, pair).get(pair.candidate.document.docno)
        if grade is None:
            raise TagError("This pair has no final label yet, so it is not known to be an error.")
        known_types = {known.casefold(): known for known in types_of(collection)}
        ranking = list_for(system, pair.query) or []
        docno = pair.candidate.document.docno
        tag, _ = ErrorTag.objects.update_or_create(
            system=system.name,
            pair=pair,
            type=known_types.get(error_type.casefold(), error_type),
            defaults={
                "kind": kind_of(grade, collection.relevant_from),
                "grade": grade,
                "rank": ranking.index(docno) + 1 if docno in ranking else None,
                "note": note.strip(),
                "tagged_by": tagged_by,
            },
        )
    return tag


def untag_error(*, collection: Collection, system: str, pair: Pair, error_type: str) -> None:
    """Remove the tag, if it is there."""
    with transaction.atomic():
        collection = lock_collection(collection)
        tags_of(collection).filter(system=system, pair=pair, type=error_type).delete()


def final_grades(collection: Collection, query: Query, *pairs: Pair) -> dict[str, int]:
    """The final grades of a query's pairs by docno, or only of some pairs.

    The query paper in its own pool is left out, as it is when systems are scored.
    """
    among = Pair.objects.filter(query=query)
    if pairs:
        among = among.filter(pk__in=[pair.pk for pair in pairs])
    paper = query.query_paper.document
    return {
        pair.docno: pair.final
        for pair in labelled_pairs(collection, among)
        if pair.final is not None and (paper is None or pair.docno != paper.docno)
    }


def tags_of(collection: Collection) -> QuerySet[ErrorTag]:
    """The tags of a collection's pairs."""
    # The subquery holds all tags. With it SQLite begins with the few tags; without, it looks for
    # tags of each of the collection's pairs.
    every_tag = ErrorTag.objects.order_by().values("pk")
    return ErrorTag.objects.filter(pk__in=every_tag, pair__query__collection=collection)


def types_of(collection: Collection) -> list[str]:
    """The default types, then those that were added, by name."""
    used = tags_of(collection).order_by("type").values_list("type", flat=True).distinct()
    return [*DEFAULT_TYPES, *(name for name in used if name not in DEFAULT_TYPES)]


@dataclass(frozen=True)
class TypeCount:
    """The number of a system's errors with a tag of this type."""

    system: str
    type: str
    false_positives: int
    misses: int

    @property
    def total(self) -> int:
        return self.false_positives + self.misses


def type_counts(collection: Collection, system: str = "") -> list[TypeCount]:
    """The counts of each type that was used, of one system or of all, the most frequent first."""
    tags = tags_of(collection).filter(**({"system": system} if system else {}))
    rows = tags.order_by().values_list("system", "type", "kind").annotate(number=Count("pk"))
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name, error_type, kind, number in rows:
        counts[name, error_type][kind] += number
    found = [
        TypeCount(name, error_type, of_kind[ErrorKind.FALSE_POSITIVE], of_kind[ErrorKind.MISS])
        for (name, error_type), of_kind in counts.items()
    ]
    return sorted(found, key=lambda count: (count.system, -count.total, count.type))
