"""The collection itself: its facets, queries, topics and guidelines."""

from __future__ import annotations

from operator import attrgetter

from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.models import Collection
from annotation.models import Guideline, Slot
from bundle.options import Texts
from bundle.records import (
    ReleasedCollection,
    ReleasedFacet,
    ReleasedGuideline,
    ReleasedQuery,
    ReleasedTopic,
)
from corpus.text.query_facts import facts_of


def released_collection(collection: Collection) -> ReleasedCollection:
    facets = collection.facets.values_list("key", "name", "labels")
    return ReleasedCollection(
        slug=collection.slug,
        name=collection.name,
        description=collection.description,
        licence=collection.licence.strip(),
        seed=collection.seed,
        facets=tuple(ReleasedFacet(key, name, tuple(labels)) for key, name, labels in facets),
        highest_grade=collection.highest_grade,
        relevant_from=collection.relevant_from,
        corpus_licence=collection.corpus_licence.strip(),
    )


def queries_by_name(collection: Collection) -> list[int]:
    """The primary keys of the queries, by name."""
    rows = collection.queries.values_list("name", "pk").order_by()
    return [pk for _, pk in sorted(rows)]


def released_queries(collection: Collection, texts: Texts) -> tuple[ReleasedQuery, ...]:
    """The queries by name. Without texts, their papers have no titles."""
    rows = collection.queries.annotate(
        is_topic=ExpressionWrapper(Q(query_paper__topic__isnull=False), BooleanField())
    ).values_list(
        *("name", "facet__key", "query_paper__name"),
        *("opening__guideline__version", "is_topic", "sentence_numbers"),
        *("query_paper__document__title", "query_paper__document__year", "query_paper__metadata"),
        "query_paper__document__fields",
    )
    queries = (
        ReleasedQuery._make(
            (
                *row,
                tuple(numbers or ()),
                (title or "") if texts.included else "",
                facts_of(metadata, year),
                fields[0] if fields else "",
            )
        )
        for *row, numbers, title, year, metadata, fields in rows
    )
    return tuple(sorted(queries, key=attrgetter("name")))


def released_topics(collection: Collection) -> tuple[ReleasedTopic, ...]:
    """The topic of each query that has one, under the id of the query."""
    rows = collection.queries.filter(query_paper__topic__isnull=False).values_list(
        "name", *(f"query_paper__topic__{column}" for column in ReleasedTopic._fields[1:])
    )
    return tuple(sorted(ReleasedTopic(*row) for row in rows))


def released_guidelines(
    collection: Collection, *, latest_too: bool = False
) -> tuple[ReleasedGuideline, ...]:
    """Those of queries and of judgments that count, and if asked for the latest of each facet."""
    guidelines = Guideline.objects.filter(facet__collection=collection).order_by()
    chosen = set(guidelines.filter(openings__isnull=False).values_list("pk", flat=True))
    later = guidelines.filter(openings__isnull=False, version__gt=1)
    judged = Slot.objects.filter(
        judgment__isnull=False, pair__query__facet__in=later.values("facet")
    ).order_by()
    versions = judged.values_list("pair__query__facet", "judgment__guideline_version").distinct()
    for facet, version in versions:
        chosen.update(guidelines.filter(facet=facet, version=version).values_list("pk", flat=True))
    if latest_too:
        for row in collection.facets.all():
            chosen.update(row.guidelines.values_list("pk", flat=True)[:1])
    rows = guidelines.filter(pk__in=chosen).values_list(
        "facet__key", "version", "instructions", "grades"
    )
    found = [ReleasedGuideline(*row[:3], tuple(row[3])) for row in rows]
    return tuple(sorted(found, key=attrgetter("facet", "version")))
