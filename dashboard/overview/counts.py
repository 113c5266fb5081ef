"""A collection's numbers and a person's open work, each in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import (
    Aggregate,
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)

from accounts.models import JUDGES, Collection, Membership, User
from adjudication.models import CaseCount
from agreement.services import AgreementReport
from annotation.models import PairCount, Repeat, SlotCount
from annotation.queue import repeat_counts
from corpus.facets import SAMPLE_FACETS
from corpus.models import Document, Facet, Query, QueryPaper, title_of
from dashboard.overview.roles import roles_by_field
from dashboard.overview.steps import CollectionCounts
from jobs.models import LIVE, Job, State, later_tries
from pooling.models import Pool
from practice.models import PracticeSet
from release.models import Release
from reports.models import StoredReport
from retrieval.models import Run


def counts_of(collections: Iterable[Collection]) -> dict[int, CollectionCounts]:
    """The counts of each collection by its id: fourteen queries for any number of collections."""
    ids = [collection.pk for collection in collections]
    counts = {pk: CollectionCounts() for pk in ids}
    for rows, path, sums in _aggregates():
        grouped_rows = rows.filter(**{f"{path}__in": ids}).order_by().values(path).annotate(**sums)
        for row in grouped_rows:
            pk = row.pop(path)
            counts[pk] = replace(counts[pk], **row)
    return counts


def _aggregates() -> Iterable[tuple[QuerySet[Any], str, dict[str, Aggregate]]]:
    row_count = Count("pk")
    yield Document.objects.all(), "collection", {"documents": row_count}
    yield (
        Query.objects.all(),
        "collection",
        {
            "queries": row_count,
            "opened": Count("opening"),
            "query_papers": Count("query_paper", distinct=True),
            "topics": Count("query_paper__topic", distinct=True),
        },
    )
    yield Run.objects.all(), "collection", {"runs": row_count}
    yield (
        Pool.objects.filter(query_paper__in=QueryPaper.objects.filter(queries__isnull=False)),
        "query_paper__collection",
        {"pools": row_count, "frozen_pools": Count("pk", filter=Q(frozen_at__isnull=False))},
    )
    yield Pool.objects.all(), "query_paper__collection", {"candidates": Sum("to_judge")}
    yield (
        SlotCount.objects.all(),
        "query__collection",
        {"slots": Sum("total"), "judged_slots": Sum("judged")},
    )
    yield (
        PairCount.objects.all(),
        "query__collection",
        {
            "pairs": Sum("total"),
            "judged_pairs": Sum("judged"),
            "cases": Sum("disputed"),
            "finished": Count("pk", filter=Q(judged=F("total"))),
        },
    )
    yield CaseCount.objects.all(), "query__collection", {"settled": Sum("settled")}
    yield PracticeSet.objects.pilots(), "collection", {"pilots": row_count}
    agreement_reports = StoredReport.objects.filter(kind=AgreementReport.name)
    yield agreement_reports, "collection", {"reports": row_count}
    yield Release.objects.all(), "collection", {"releases": row_count}
    yield (
        Facet.objects.all(),
        "collection",
        {
            "whole_facets": Count("pk", filter=Q(key="")),
            "sample_facets": Count("pk", filter=Q(key__in=SAMPLE_FACETS)),
        },
    )
    yield (
        Membership.objects.filter(user__is_active=True),
        "collection",
        {field: Count("pk", filter=Q(role__in=roles)) for field, roles in roles_by_field().items()},
    )
    yield (
        Job.objects.annotate(tried_again=Exists(later_tries())),
        "collection",
        {
            "live_jobs": Count("pk", filter=Q(state__in=LIVE)),
            "failed_jobs": Count("pk", filter=Q(state=State.FAILED, tried_again=False)),
        },
    )


class JudgedOfQuery(NamedTuple):
    """The number of judged pairs of one query, among an annotator's own pairs.

    `facet` is its name, or empty in a collection without facets.
    """

    query: str
    facet: str
    title: str
    judged: int
    total: int

    @property
    def remaining(self) -> int:
        return self.total - self.judged


def query_progress(collection: Collection, user: User) -> list[JudgedOfQuery]:
    """The user's queries: those with unjudged pairs first, then by id."""
    rows = (
        SlotCount.objects.filter(query__collection=collection, annotator=user, total__gt=0)
        .order_by("query__name")
        .annotate(
            facet=Case(When(query__facet__key="", then=Value("")), default=F("query__facet__name"))
        )
        .values_list("query", "query__name", "facet", title_of("query__query_paper"))
        .annotate(Sum("judged"), Sum("total"))
    )
    repeats = repeat_counts(Repeat.objects.of(collection), user, "query")
    found = []
    for pk, name, facet, title, judged, total in rows:
        more, more_judged = repeats.get(pk, (0, 0))[:2]
        found.append(JudgedOfQuery(name, facet, title, judged + more_judged, total + more))
    return sorted(found, key=lambda progress: progress.remaining == 0)


def idle_annotators(collection: Collection) -> list[User]:
    """Annotators who can log in and have judged all of their pairs."""
    unjudged_slots = SlotCount.objects.filter(
        query__collection=collection, annotator=OuterRef("pk"), judged__lt=F("total")
    )
    return list(
        User.objects.filter(
            ~Exists(unjudged_slots),
            is_active=True,
            memberships__collection=collection,
            memberships__role__in=JUDGES,
        ).order_by("username")
    )


def open_jobs(collection: Collection) -> QuerySet[Job]:
    """Jobs that run or wait, and failed jobs that were not tried again."""
    failed = Q(state=State.FAILED) & ~Exists(later_tries())
    return collection.jobs.filter(Q(state__in=LIVE) | failed)
