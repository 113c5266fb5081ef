"""Reads what the rater's pages show: only the rows of the rater who asks."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, F, OuterRef, Subquery

from accounts.models import Collection, User
from annotation.models import Guideline, Pair, Reason
from corpus.formats.full_texts import sections_of
from corpus.models import Document, Facet, Query
from studies.models import Study, StudyPair, StudyQuerySet, StudyRating
from studies.presentation import FullTextPresentation, ShownFullText, shown_full_text

READ_TOGETHER = 10  # pairs; their full texts are some hundred kilobytes each


@dataclass(frozen=True)
class ShownStudyPair:
    """A pair ready to be shown: its texts, and the values that its answer must carry."""

    token: str
    position: int
    query_row: Query
    guideline: Guideline
    query: ShownFullText
    candidate: ShownFullText
    presentation: str
    is_timed: bool
    judgment_key: uuid.UUID | None
    rated: bool
    grade: int | None
    reason: str
    note: str
    key: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def reason_text(self) -> str:
        return str(Reason(self.reason).label) if self.reason else ""


class StudyProgress(NamedTuple):
    total: int
    rated: int

    @property
    def remaining(self) -> int:
        return self.total - self.rated


class OwnRating(NamedTuple):
    """A line in the rater's list of own ratings."""

    token: str
    query: str
    facet: str
    title: str
    grade: int | None
    reason: str
    note: str

    @property
    def reason_text(self) -> str:
        return str(Reason(self.reason).label) if self.reason else ""


def own_studies(collection: Collection, user: User) -> StudyQuerySet:
    studies: StudyQuerySet = collection.studies.all()
    return studies.for_rater(user)


def progress_of(studies: Sequence[Study]) -> dict[int, StudyProgress]:
    """The number of rated pairs of each study, and of all its pairs, by its id. One query."""
    rows = (
        StudyPair.objects.filter(study__in=studies)
        .order_by()
        .values_list("study")
        .annotate(Count("pk", distinct=True), Count("ratings__study_pair", distinct=True))
    )
    return {study: StudyProgress(total, rated) for study, total, rated in rows}


def next_token(study: Study) -> str | None:
    """The next pair without a rating, or None."""
    unrated = study.pairs.filter(ratings=None).order_by("position")
    return unrated.values_list("token", flat=True).first()


def token_before(study: Study, token: str) -> str | None:
    """The rated pair before this one in the study's order, or None."""
    place = study.pairs.filter(token=token).values("position")
    earlier = study.pairs.filter(position__lt=Subquery(place), ratings__isnull=False)
    return earlier.order_by("-position").values_list("token", flat=True).first()


def own_ratings(study: Study) -> list[OwnRating]:
    """The ratings that count, in the study's order."""
    latest = StudyRating.objects.filter(study_pair=OuterRef("pk")).order_by("-sequence")
    rows = (
        study.pairs.filter(ratings__isnull=False)
        .annotate(
            last_grade=Subquery(latest.values("grade")[:1]),
            last_reason=Subquery(latest.values("reason")[:1]),
            last_note=Subquery(latest.values("note")[:1]),
            query=F("pair__query__query_paper__document__title"),
            facet=F("pair__query__facet__name"),
            title=F("pair__candidate__document__title"),
        )
        .order_by("position")
        .values_list("token", "query", "facet", "title", "last_grade", "last_reason", "last_note")
        .distinct()
    )
    return [OwnRating(*row) for row in rows]


def shown_pair(study: Study, token: str) -> ShownStudyPair | None:
    study_pair = study.pairs.filter(token=token).first()
    if study_pair is None:
        return None
    ((_, presentation),) = presentations_of([study_pair.pair_id])
    rating = study_pair.ratings.order_by("sequence").last()
    query = Query.objects.select_related("query_paper", "facet", "opening__guideline").get(
        pairs=study_pair.pair_id
    )
    return ShownStudyPair(
        token=token,
        position=study_pair.position,
        query_row=query,
        guideline=query.opening.guideline,
        query=presentation.query,
        candidate=presentation.candidate,
        presentation=presentation.digest,
        is_timed=presentation.is_timed,
        judgment_key=rating.key if rating else None,
        rated=rating is not None,
        grade=rating.grade if rating else None,
        reason=rating.reason if rating else "",
        note=rating.note if rating else "",
    )


def presentations_of(pairs: Sequence[int]) -> Iterator[tuple[int, FullTextPresentation]]:
    """The presentation of each pair to the rater, by its id."""
    for start in range(0, len(pairs), READ_TOGETHER):
        rows = Pair.objects.select_related(
            "query__facet",
            "query__opening__guideline",
            "query__query_paper__document__full_text",
            "candidate__document__full_text",
        ).filter(pk__in=pairs[start : start + READ_TOGETHER])
        for pair in rows:
            query = pair.query
            paper = query.query_paper.document
            assert paper is not None, "the rule study_pair_has_full_texts"
            yield (
                pair.pk,
                FullTextPresentation(
                    query_name=query.name,
                    facet=query.facet.key,
                    query=_shown(paper),
                    docno=pair.candidate.document.docno,
                    candidate=_shown(pair.candidate.document),
                    guideline_version=query.opening.guideline.version,
                ),
            )


def _shown(document: Document) -> ShownFullText:
    full_text = document.full_text
    return shown_full_text(
        document.title, sections_of(full_text.sections), full_text.pdf_url, document.abstract
    )


def facet_names(collection: Collection) -> dict[str, str]:
    """The names of the facets by their keys, in order."""
    facets: list[Facet] = list(collection.facets.all())
    return {facet.key: facet.name for facet in facets}
