"""Choosing query papers in three steps: draw a sample, screen it, choose evenly."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from corpus.models import UNFIT, Kind, Sample, Screening
from corpus.screening import (
    add_ticked,
    draw_sample,
    papers_by_period,
    papers_to_screen,
    screened_papers,
    suggest_ticks,
)
from corpus.screening_forms import ChoiceForm, SampleForm, ScreeningForm, SuggestForm
from web.errors import NotFound, attempt
from web.templatetags.ui import plural

KEYS = "adrtscx"  # of the kinds, in their order


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def sample_papers(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Draw the papers to screen, after a look at how many each period has."""
    form = SampleForm(request.POST or None, collection=collection)
    sample: Sample = form.instance
    drawn = sample.docnos
    if form.is_valid() and "draw" in request.POST:
        if attempt(form, draw_sample, sample=sample):
            return redirect("screen-papers", collection.slug)
    papers = papers_by_period(sample) if form.is_valid() or not form.is_bound else {}
    sizes = [len(docnos) for docnos in papers.values()]
    screeners = Screening.objects.filter(document__collection=collection, document__docno__in=drawn)
    context = {
        "collection": collection,
        "form": form,
        "sample": sample,
        "papers": papers,
        "there": sum(sizes),
        "total": sum(min(size, sample.per_period) for size in sizes),
        "left_out": collection.documents.count() - sum(sizes),
        "drawn": len(drawn),
        "screeners": screeners.values("screener__name", "screener__username").annotate(number=Count("pk")),
    }
    template = "corpus/_periods.html" if request.headers.get("HX-Target") == "periods" else "corpus/sample.html"
    return render(request, template, context)


@require_GET
@in_collection(ADMIN)
def screen_papers(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """To the first paper that the person has not screened; then to the choice."""
    sample = Sample.objects.filter(collection=collection).first()
    if sample is None:
        return redirect("sample-papers", collection.slug)
    order, own = papers_to_screen(sample, request.user)
    for key in order:
        if key not in own:
            return redirect("screen-paper", collection.slug, key)
    return redirect("choose-papers", collection.slug)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def screen_paper(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """One paper without year, venue and authors, and what the person said of it. Nobody else's screening is shown."""
    sample = get_object_or_404(Sample, collection=collection)
    order, own = papers_to_screen(sample, request.user)
    if pk not in order:
        raise NotFound("This paper is not in the sample. The sample may have been drawn again.")
    document = collection.documents.get(pk=pk)
    screening = Screening.objects.filter(document=document, screener=request.user).first()
    form = ScreeningForm(request.POST or None, facets=collection.facets, screening=screening)
    if form.is_valid():
        Screening.objects.update_or_create(document=document, screener=request.user, defaults=form.cleaned_data)
        return redirect("screen-papers", collection.slug)
    wanted = [collection.labels_of(facet) for facet in collection.facets]
    context = {
        "collection": collection,
        "document": document,
        "sentences": [
            (text, label, [number for number, labels in enumerate(wanted) if label in labels])
            for text, label in document.labelled_sentences()
        ],
        "form": form,
        "kinds": list(zip(KEYS, form["kind"], strict=True)),
        "unfit": UNFIT,
        "before": order[order.index(pk) - 1] if order[0] != pk else None,
        "done": len(own),
        "total": len(order),
    }
    return render(request, "corpus/screen.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def choose_papers(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Tick facets of screened papers, or have an even choice suggested, and add them as queries."""
    sample = Sample.objects.filter(collection=collection).first()
    if sample is None:
        return redirect("sample-papers", collection.slug)
    order, own = papers_to_screen(sample, request.user)
    is_blind = 0 < len(own) < len(order)  # who has begun to screen sees no other's ratings of what is still to come
    screened = screened_papers(sample, own if is_blind else order)
    papers = [paper for paper in screened if paper["qualifies"]]
    act = request.POST.get("act", "")
    form = ChoiceForm(request.POST or None, papers=papers)
    suggesting = SuggestForm(request.POST if act == "suggest" else None)
    ticked = form.cleaned_data["chosen"] if form.is_valid() else []
    if act == "suggest" and form.is_valid() and suggesting.is_valid():
        values = suggesting.cleaned_data | {"papers": papers, "seed": sample.seed}
        ticked = attempt(suggesting, suggest_ticks, **values) or ticked
    elif act == "add" and form.is_valid():
        types = {paper["document"].docno: paper["type"] for paper in papers}
        new = attempt(form, add_ticked, collection=collection, ticked=ticked, types=types)
        if new is not None:
            messages.success(request, f"{plural(new, 'query,queries')} added.")
            return redirect("queries", collection.slug)
    context = {
        "collection": collection,
        "form": form,
        "suggesting": suggesting,
        "papers": papers,
        "ticked": ticked,
        "own": own,
        "is_blind": is_blind,
        "screened": len(screened),
        "total": len(order),
        "disputed": [paper for paper in screened if paper["is_disputed"]],
        "counts": counts_of(papers, set(ticked)),
    }
    template = "corpus/_counts.html" if request.headers.get("HX-Target") == "counts" else "corpus/choose.html"
    return render(request, template, context)


def counts_of(papers: list[dict[str, Any]], ticked: set[str]) -> dict[str, Any]:
    """Queries by period, type and facet, those that exist and those that are ticked, as rows of a table."""
    cells: Counter[tuple[str, str, str]] = Counter()
    sizes = []
    for paper in papers:
        facets = [each["name"] for each in paper["facets"] if each["is_asked"] or each["value"] in ticked]
        cells.update((paper["period"], paper["type"], facet) for facet in facets)
        sizes.append(len(facets))
    kinds = [kind for kind in Kind.values if any(paper["type"] == kind for paper in papers)]
    names = list(dict.fromkeys(facet["name"] for paper in papers for facet in paper["facets"]))
    most = max(cells.values(), default=1)

    def row(period: str) -> list[tuple[int, int]]:
        numbers = [cells[period, kind, name] for kind in kinds for name in names]
        return [(number, math.ceil(9 * number / most)) for number in numbers]

    def total(place: int, value: str) -> int:
        return sum(number for cell, number in cells.items() if cell[place] == value)

    return {
        "rows": [(each, row(each), total(0, each)) for each in dict.fromkeys(paper["period"] for paper in papers)],
        "types": [(kind, total(1, kind)) for kind in kinds],
        "facets": [(name, total(2, name)) for name in names],
        "queries": sum(sizes),
        "papers": sum(size > 0 for size in sizes),
        "several": sum(size > 1 for size in sizes),
    }
