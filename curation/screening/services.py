"""Screen the papers of a sample: the queue of one screener, and saving a screening.

Every screener sees the papers in the same order, so their positions name them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.models import Document, Facet
from curation.models import PaperType, Sample, SampledPaper, Screening
from curation.models.samples import HIGHEST_RATING, LOWEST_RATING
from web.errors import UserFacingError

LONGEST_REASON = 200
RATINGS = range(LOWEST_RATING, HIGHEST_RATING + 1)
REASONS = (
    "Its content in every facet is thin",
    "Its meaning depends on one cited paper",
    "It fits no paper type",
    "The text is garbled or cut off",
)


class ScreeningError(UserFacingError):
    """A screening that cannot be saved. The message is shown to the screener."""


class TypeGone(ScreeningError):
    """The list of paper types changed after the page was loaded."""

    status: ClassVar[int] = 409


@dataclass(frozen=True)
class Verdict:
    """A screener's answer about a paper. `paper_type` and `facets` are keys."""

    paper_type: str
    rating: int
    facets: tuple[str, ...] = ()
    reason: str = ""


class ScreeningProgress(NamedTuple):
    screened: int
    total: int

    @property
    def remaining(self) -> int:
        return self.total - self.screened


class Passage(NamedTuple):
    """Neighbouring sentences with the same facet. `facet` is None for sentences of no facet."""

    facet: Facet | None
    sentences: list[str]


def facets_to_screen(collection: Collection) -> list[Facet]:
    """The facets that a screener is asked about; none in a collection without facets."""
    return [facet for facet in collection.facets.all() if not facet.is_whole]


def passages(document: Document, facets: Sequence[Facet]) -> list[Passage]:
    """The sentences of a document in order, cut where the facet changes."""
    by_label = {label: facet for facet in facets for label in facet.labels}
    labels = document.labels or [""] * len(document.sentences)
    parts: list[Passage] = []
    for sentence, label in zip(document.sentences, labels, strict=True):
        facet = by_label.get(label)
        if not parts or parts[-1].facet != facet:
            parts.append(Passage(facet, []))
        parts[-1].sentences.append(sentence)
    return parts


def save_screening(*, paper: SampledPaper, screener: User, verdict: Verdict) -> Screening:
    """Save what the screener says of the paper. An earlier screening of theirs is replaced.

    Saving the same again changes nothing else, so a lost answer can be sent again.

    Raises:
        TypeGone: the paper type is not in the collection's list.
        ScreeningError: the rating, a facet or the reason is invalid.
    """
    with transaction.atomic():
        collection = lock_collection(paper.sample.collection)
        paper_type = collection.paper_types.filter(key=verdict.paper_type).first()
        if paper_type is None:
            raise TypeGone(
                f"The paper type {verdict.paper_type!r} is not in the list. Reload the page and "
                "choose another type."
            )
        _check(collection, verdict)
        keys = [facet.key for facet in facets_to_screen(collection) if facet.key in verdict.facets]
        screening, _ = Screening.objects.update_or_create(
            paper=paper,
            screener=screener,
            defaults={
                "paper_type": paper_type,
                "facets": keys,
                "rating": verdict.rating,
                "reason": verdict.reason,
            },
        )
    return screening


def _check(collection: Collection, verdict: Verdict) -> None:
    if verdict.rating not in RATINGS:
        raise ScreeningError(
            f"The rating is {verdict.rating}. Use {LOWEST_RATING} to {HIGHEST_RATING}."
        )
    unknown = set(verdict.facets) - {facet.key for facet in facets_to_screen(collection)}
    if unknown:
        raise ScreeningError(f"Unknown facet {min(unknown)!r}. Reload the page.")
    if len(verdict.reason) > LONGEST_REASON:
        raise ScreeningError(
            f"The reason has {len(verdict.reason)} characters. Use at most {LONGEST_REASON}."
        )


class OwnSample(NamedTuple):
    sample: Sample
    progress: ScreeningProgress


def own_samples(collection: Collection, screener: User) -> list[OwnSample]:
    """Every sample, with how many of its papers the person has screened."""
    mine = Q(papers__screenings__screener=screener)
    samples = collection.samples.annotate(
        total=Count("papers", distinct=True),
        mine=Count("papers__screenings", filter=mine, distinct=True),
    ).order_by("created_at", "pk")
    return [OwnSample(sample, ScreeningProgress(sample.mine, sample.total)) for sample in samples]


def progress_in(sample: Sample, screener: User) -> ScreeningProgress:
    screened = Screening.objects.filter(paper__sample=sample, screener=screener).count()
    return ScreeningProgress(screened, sample.papers.count())


def next_position(sample: Sample, screener: User, after: int = 0) -> int | None:
    """The first paper after this position that the person has not screened, else the first."""
    own = Screening.objects.filter(paper=OuterRef("pk"), screener=screener)
    unscreened = sample.papers.filter(~Exists(own)).order_by("position")
    positions = unscreened.values_list("position", flat=True)
    return positions.filter(position__gt=after).first() or positions.first()


def own_screenings(sample: Sample, screener: User) -> QuerySet[Screening]:
    """The person's screenings of the sample, in the order of screening."""
    rows = Screening.objects.filter(paper__sample=sample, screener=screener)
    return (
        rows.select_related("paper__document", "paper_type")
        .only(
            *("facets", "rating", "reason", "paper_type__name"),
            *("paper__position", "paper__document__title", "paper__document__docno"),
        )
        .order_by("paper__position")
    )


def own_screening(paper: SampledPaper, screener: User) -> Screening | None:
    return paper.screenings.select_related("paper_type").filter(screener=screener).first()


def types_in(collection: Collection) -> list[PaperType]:
    return list(collection.paper_types.all())
