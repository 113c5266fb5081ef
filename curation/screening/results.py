"""The answers of all screeners of a sample, combined for each paper."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.db.models import QuerySet

from accounts.models import Collection
from corpus.models import Document
from curation.models import PaperType, Sample, SampledPaper, Screening


class ScreenedPaper(NamedTuple):
    """A paper of a sample after screening.

    `paper_type` is the type that most screeners chose; at a tie, the first in the collection's
    list.
    `facets` are those that more than half of the screeners named, in the collection's order.
    `rating` is the mean of the ratings, from 1 to 5.
    """

    docno: str
    title: str
    year: int | None
    stratum: dict[str, str]
    paper_type: str
    is_excluded: bool  # by its type
    facets: tuple[str, ...]
    rating: Fraction
    screeners: int


def papers_without_text(sample: Sample) -> QuerySet[SampledPaper]:
    """The papers in the order of screening. Of a document, only docno, title and year are read."""
    unread = ("sentences", "labels", "authors", "references", "fields", "venue")
    papers = sample.papers.select_related("document")
    return papers.defer(*(f"document__{name}" for name in unread))


def screened_papers(sample: Sample) -> list[ScreenedPaper]:
    """The papers that at least one person has screened, in the order of screening."""
    facet_keys = list(sample.collection.facets.values_list("key", flat=True))
    papers = papers_without_text(sample).filter(screenings__isnull=False).distinct()
    return [
        _together(paper.document, paper.stratum, list(paper.screenings.all()), facet_keys)
        for paper in papers.prefetch_related("screenings__paper_type")
    ]


def types_of_screened(collection: Collection) -> dict[int, PaperType]:
    """The type of each screened document by its id, over all samples of the collection."""
    rows = Screening.objects.filter(paper__sample__collection=collection).order_by()
    types: dict[int, list[PaperType]] = defaultdict(list)
    paper_types = collection.paper_types.in_bulk()
    for document_id, type_id in rows.values_list("paper__document_id", "paper_type_id"):
        types[document_id].append(paper_types[type_id])
    return {document_id: most_chosen(chosen) for document_id, chosen in types.items()}


def most_chosen(types: Iterable[PaperType]) -> PaperType:
    """The type that most screeners chose; at a tie, the first in the collection's list."""
    counts = Counter(types)
    return min(counts, key=lambda kind: (-counts[kind], kind.position))


def facets_of_most(screenings: Sequence[Screening], keys: Iterable[str]) -> tuple[str, ...]:
    """The facets that more than half of the screeners named, in the order of `keys`."""
    named = Counter(key for screening in screenings for key in screening.facets)
    return tuple(key for key in keys if 2 * named[key] > len(screenings))


def mean_rating(screenings: Sequence[Screening]) -> Fraction:
    return Fraction(sum(screening.rating for screening in screenings), len(screenings))


def _together(
    document: Document,
    stratum: dict[str, str],
    screenings: Sequence[Screening],
    keys: Iterable[str],
) -> ScreenedPaper:
    paper_type = most_chosen(screening.paper_type for screening in screenings)
    return ScreenedPaper(
        docno=document.docno,
        title=document.title,
        year=document.year,
        stratum=stratum,
        paper_type=paper_type.key,
        is_excluded=paper_type.is_excluded,
        facets=facets_of_most(screenings, keys),
        rating=mean_rating(screenings),
        screeners=len(screenings),
    )
