"""The screener's pages. Every action is a plain form; a script adds the keys and keeps answers."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from string import digits

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import (
    by_the_same_person,
    in_collection,
    not_found_as_json,
    person_of,
)
from accounts.models import Collection, Role, User
from curation.models import Sample, SampledPaper
from curation.samples.forms import ScreeningForm
from curation.screening import services as screening
from curation.screening.services import REASONS, ScreeningError, save_screening
from web.sittings.keys import assign_keys
from web.sittings.responses import refused, saved

MOVING = "un" + digits  # undo, note of a reason, and the ratings
SCREENERS = (Role.CURATOR, Role.ADMIN)


@never_cache
@in_collection(*SCREENERS)
@require_safe
def screen(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Every sample with the person's own progress."""
    rows = screening.own_samples(collection, person_of(request))
    return render(
        request,
        "curation/screen.html",
        {
            "collection": collection,
            "samples": rows,
            "first": next((row for row in rows if row.progress.remaining), None),
            "has_documents": bool(rows) or collection.documents.exists(),
        },
    )


@never_cache
@in_collection(*SCREENERS)
@require_safe
def screen_sample(request: HttpRequest, collection: Collection, sample: str) -> HttpResponse:
    """Redirect to the next paper, or to my screenings when all papers are screened."""
    return redirect(_next_url(_sample(collection, sample), person_of(request)))


@never_cache
@by_the_same_person
@not_found_as_json("This paper is no longer in a sample, or you are no longer a curator here.")
@in_collection(*SCREENERS)
@require_http_methods(["GET", "HEAD", "POST"])
def screen_paper(
    request: HttpRequest, collection: Collection, sample: str, position: int
) -> HttpResponseBase:
    """Show a paper, or save its screening."""
    paper = _paper(collection, sample, position)
    if request.method != "POST":
        own = screening.own_screening(paper, person_of(request))
        values = {}
        if own is not None:
            values = {
                "paper_type": own.paper_type.key,
                "facets": own.facets,
                "rating": str(own.rating),
                "reason": own.reason,
            }
        return _page(request, collection, paper, values)
    form = ScreeningForm(request.POST)
    try:
        if not form.is_valid():
            raise ScreeningError(form.problem)
        save_screening(paper=paper, screener=person_of(request), verdict=form.verdict())
    except ScreeningError as error:
        chosen = {**request.POST.dict(), "facets": request.POST.getlist("facets")}
        return refused(request, error, lambda: _page(request, collection, paper, chosen))
    return saved(request, _next_url(paper.sample, person_of(request), paper.position))


def _page(
    request: HttpRequest, collection: Collection, paper: SampledPaper, values: Mapping[str, object]
) -> HttpResponse:
    """The page has title and abstract only: a screener may judge the paper later."""
    facets = screening.facets_to_screen(collection)
    types = screening.types_in(collection)
    keys = assign_keys([*(facet.name for facet in facets), *(kind.name for kind in types)], MOVING)
    return render(
        request,
        "curation/screen_paper.html",
        {
            "collection": collection,
            "sample": paper.sample,
            "position": paper.position,
            "title": paper.document.title,
            "passages": screening.passages(paper.document, facets),
            "facets": list(zip(facets, keys, strict=False)),
            "types": list(zip(types, keys[len(facets) :], strict=True)),
            "ratings": [str(rating) for rating in screening.RATINGS],
            "reasons": REASONS,
            "longest_reason": screening.LONGEST_REASON,
            "values": values,
            "is_screened": bool(values) and request.method != "POST",
            "progress": screening.progress_in(paper.sample, person_of(request)),
            "key": uuid.uuid4(),
        },
    )


@never_cache
@in_collection(*SCREENERS)
@require_safe
def screen_mine(request: HttpRequest, collection: Collection, sample: str) -> HttpResponse:
    """My screenings of the sample."""
    row = _sample(collection, sample)
    facets = screening.facets_to_screen(collection)
    return render(
        request,
        "curation/screen_mine.html",
        {
            "collection": collection,
            "sample": row,
            "screenings": [
                (each, [facet.name for facet in facets if facet.key in each.facets])
                for each in screening.own_screenings(row, person_of(request))
            ],
            "progress": screening.progress_in(row, person_of(request)),
        },
    )


def _next_url(sample: Sample, person: User, after: int = 0) -> str:
    position = screening.next_position(sample, person, after)
    slug = sample.collection.slug
    if position is None:
        return reverse("screen-mine", args=[slug, sample.name])
    return reverse("screen-paper", args=[slug, sample.name, position])


def _sample(collection: Collection, name: str) -> Sample:
    return get_object_or_404(collection.samples.select_related("collection"), name=name)


def _paper(collection: Collection, sample: str, position: int) -> SampledPaper:
    papers = SampledPaper.objects.filter(
        sample__collection=collection, sample__name=sample, position=position
    )
    paper = papers.select_related("sample__collection", "document").first()
    if paper is None:
        raise Http404(f"no paper {position} in the sample {sample!r}")
    return paper
