"""The admin's page of a system, and its ranked lists as a file."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, row_or_404
from accounts.models import Collection, Role
from evaluation.leaderboard.rows import pooled_runs
from evaluation.leaderboard.views import scorable_sources
from evaluation.system_page.page import SystemPage
from scoring.models import SystemKind
from scoring.systems.forms import RepetitionForm
from scoring.systems.lists import system_lines
from scoring.systems.named import named_system
from scoring.systems.services import set_repetition
from web.downloads import as_download
from web.figure_files import shown
from web.tables.text_blocks import in_blocks


@in_collection(Role.ADMIN)
@require_safe
def system(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    return _page(request, collection, name)


@in_collection(Role.ADMIN)
@require_POST
def repetition(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    system = get_object_or_404(collection.systems, name=name)
    form = RepetitionForm(request.POST)
    if not form.is_valid():
        return _page(request, collection, name, form)
    group = form.cleaned_data["repetition_of"]
    set_repetition(system=system, repetition_of=group)
    text = f"a repetition of {group}" if group else "no repetition"
    messages.success(request, f"{name} is {text}.")
    return redirect("system", collection.slug, name)


def _page(
    request: HttpRequest, collection: Collection, name: str, refused: RepetitionForm | None = None
) -> HttpResponse:
    named = row_or_404(named_system(collection, name))
    page = SystemPage.of(collection, named, request.GET)
    context = {
        "collection": collection,
        "page": page,
        "named": named,
        "choice": page.choice,
        "in_pool": name in pooled_runs(collection),
        "names_differ": not collection.facets.filter(key="").exists()
        or collection.queries.filter(sentence_numbers__isnull=False).exists(),
        "sources": scorable_sources(collection),
        "repetition_form": refused
        or RepetitionForm(initial={"repetition_of": named.repetition_of}),
    }
    if page.line:
        figure = page.queries.figure()
        if figure:
            parameters = urlencode(page.comparison_parameters)
            context["finding"] = figure.panels[0].finding
            context["compare"] = f"?{parameters}"
            context["figure"] = shown(figure, "comparison-figure", collection.slug, parameters)
        context["best"], context["worst"] = page.queries.extremes()
    status = 422 if refused else 200
    return render(request, "evaluation/system.html", context, status=status)


@in_collection(Role.ADMIN)
@require_safe
def system_file(request: HttpRequest, collection: Collection, name: str) -> HttpResponseBase:
    """A TREC file of the lists of an imported system or a baseline, with ids of queries."""
    system = get_object_or_404(collection.systems, name=name)
    if system.kind == SystemKind.RUN:
        return redirect("run-file", collection.slug, name)
    response = StreamingHttpResponse(
        in_blocks(system_lines(system)), content_type="text/plain; charset=utf-8"
    )
    return as_download(response, f"{collection.slug}-{system.name}.run")
