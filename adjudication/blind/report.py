"""The figures of a collection's blind ratings, and the pairs that failed a spot check."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import Collection, Role
from adjudication.blind.figures import (
    SET_ASIDE,
    Anchoring,
    BlindFigures,
    Checks,
    FalseAgreement,
    RatedCases,
    anchoring,
    false_agreement,
    false_agreement_by,
)
from adjudication.models import BlindRating, Decision


class BlindReport(NamedTuple):
    """`seen_before` and `by_admins` are ratings that were perhaps not blind; both are in no figure.

    Their adjudicators had seen judgments of the same pair before, or are or were admins, whose
    pages show all judgments.
    """

    overall: FalseAgreement
    by_facet: list[FalseAgreement]
    by_grade: list[FalseAgreement]
    anchoring: Anchoring
    seen_before: int
    by_admins: int


def blind_report(collection: Collection) -> BlindReport:
    """All figures, in a fixed number of statements that group the rows in the database."""
    checks = _checks(collection)
    # The only facet of a collection without facets has an empty key.
    facets = collection.facets.exclude(key="").order_by("position")
    names = dict(facets.values_list("key", "name"))
    by_facet = false_agreement_by(checks, lambda row: row.facet, names)
    grades = [str(grade) for grade in range(collection.highest_grade + 1)]
    return BlindReport(
        overall=false_agreement("", checks),
        by_facet=[row._replace(name=names[row.name]) for row in by_facet],
        by_grade=list(false_agreement_by(checks, lambda row: str(row.agreed), grades)),
        anchoring=anchoring(_cases(collection)),
        **_left_out(collection),
    )


def blind_figures(collection: Collection) -> BlindFigures:
    """The figures that a release has."""
    return BlindFigures(
        blind_first=collection.grades_blind_first,
        spot_check_share=collection.spot_check_share,
        overall=false_agreement("", _checks(collection)),
        anchoring=anchoring(_cases(collection)),
    )


def ratings_of(collection: Collection) -> QuerySet[Any]:
    """With `seen_before` and `by_admin`, whose ratings are in no figure."""
    same = {
        "pair": OuterRef("pair"),
        "adjudicator": OuterRef("adjudicator"),
        "created_at__lt": OuterRef("created_at"),
    }
    seen = Exists(Decision.objects.filter(**same)) | Exists(
        BlindRating.objects.filter(**same, is_spot_check=False)
    )
    admins = collection.given_roles.filter(role=Role.ADMIN).values("user")
    return BlindRating.objects.filter(pair__query__collection=collection).annotate(
        seen_before=seen, by_admin=Q(adjudicator__in=admins)
    )


def counted(collection: Collection) -> QuerySet[Any]:
    """The ratings that are in the figures."""
    return ratings_of(collection).filter(seen_before=False, by_admin=False)


def failed_checks(collection: Collection) -> QuerySet[Any]:
    """Counted spot checks with another grade than that of the judges, the latest first."""
    return (
        counted(collection)
        .filter(is_spot_check=True, grade__isnull=False)
        .exclude(grade=F("first__grade"))
        .select_related("pair__query", "pair__candidate__document", "first", "adjudicator")
        .order_by("-pk")
    )


def _checks(collection: Collection) -> list[Checks]:
    rows = (
        counted(collection)
        .filter(is_spot_check=True)
        .order_by()
        .annotate(rated=Coalesce("grade", SET_ASIDE, output_field=IntegerField()))
        .values_list("pair__query__facet__key", "first__grade", "rated")
        .annotate(Count("pk"))
    )
    return [Checks(*row) for row in rows]


def _cases(collection: Collection) -> list[RatedCases]:
    """The last decision of the same person on the same judgments is the final one."""
    decisions = Decision.objects.filter(
        pair=OuterRef("pair"),
        adjudicator=OuterRef("adjudicator"),
        first=OuterRef("first"),
        second=OuterRef("second"),
    ).order_by("-sequence")
    final = decisions.annotate(final=_or_set_aside("grade")).values("final")[:1]
    rows = (
        counted(collection)
        .filter(is_spot_check=False)
        .order_by()
        .annotate(decided=Subquery(final))
        .filter(decided__isnull=False)
        .annotate(
            one=_or_set_aside("first__grade"),
            two=_or_set_aside("second__grade"),
            rated=_or_set_aside("grade"),
        )
        .values_list("one", "two", "rated", "decided")
        .annotate(Count("pk"))
    )
    return [RatedCases(*row) for row in rows]


def _or_set_aside(grade: str) -> Coalesce:
    return Coalesce(grade, SET_ASIDE, output_field=IntegerField())


def _left_out(collection: Collection) -> dict[str, int]:
    ratings = ratings_of(collection)
    return {
        "by_admins": ratings.filter(by_admin=True).count(),
        "seen_before": ratings.filter(seen_before=True, by_admin=False).count(),
    }
