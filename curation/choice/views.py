"""The pages of the balanced choice of queries."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from curation.choice.forms import ChoiceForm, form_values
from curation.choice.plan import ChoiceError, ChoicePlan, ChosenRow, RatedPaper, candidates_of
from curation.choice.report import Balance, balance_figure, swaps
from curation.choice.services import (
    JOB_KIND,
    REQUEST_SECONDS,
    ChoiceTakesLong,
    SampleState,
    apply_choice,
    compute_choice,
    missing_labels,
    request_choice,
    state_of,
)
from curation.models import QueryChoice
from jobs.listing import jobs_to_show
from web.figure_files import KINDS, ShownFigure, figure_file
from web.tables.paging import typed
from web.words import count_noun

EARLIER = 10
NOT_CHOSEN = 50


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def choose_queries(request: HttpRequest, collection: Collection) -> HttpResponse:
    if request.method != "POST":
        newest = collection.query_choices.first()
        initial = form_values(ChoicePlan.of(newest.plan)) if newest else {}
        return _form_page(request, collection, ChoiceForm(collection=collection, initial=initial))
    form = ChoiceForm(request.POST, collection=collection)
    if not form.is_valid():
        return _form_page(request, collection, form)
    plan = form.plan(request.POST.dict())
    try:
        choice = compute_choice(
            collection=collection,
            plan=plan,
            created_by=person_of(request),
            seconds=REQUEST_SECONDS,
        )
    except ChoiceTakesLong:
        request_choice(collection=collection, plan=plan, requested_by=person_of(request))
        messages.info(request, "This choice takes longer. A job computes it.")
        return redirect("choose-queries", collection.slug)
    except ChoiceError as error:
        form = ChoiceForm(form_values(plan), collection=collection)
        form.full_clean()
        form.add_error(None, str(error))
        return _form_page(request, collection, form)
    before = typed(request.POST, "before")
    address = reverse("query-choice", args=[collection.slug, choice.name])
    return redirect(f"{address}?before={before}" if before.isalnum() else address)


def _form_page(request: HttpRequest, collection: Collection, form: ChoiceForm) -> HttpResponse:
    return render(
        request,
        "curation/choose_queries.html",
        {
            "form": form,
            "has_samples": collection.samples.exists(),
            "choices": list(collection.query_choices.select_related("sample")[:EARLIER]),
            "jobs": jobs_to_show(collection, [JOB_KIND]),
        },
        status=422 if form.errors else 200,
    )


@in_collection(Role.ADMIN)
@require_safe
def query_choice(request: HttpRequest, collection: Collection, choice: str) -> HttpResponse:
    found = _choice(collection, choice)
    plan = ChoicePlan.of(found.plan)
    balance = Balance.of(found)
    before = _other(collection, typed(request.GET, "before"))
    state = state_of(found.sample)
    picture = balance_figure(balance)
    files = (
        reverse("choice-figure", args=[collection.slug, found.name, picture.name, kind])
        for kind in KINDS
    )
    context = {
        "choice": found,
        "plan": plan,
        "form": ChoiceForm(initial=form_values(plan), collection=collection),
        "hidden": ChoiceForm(initial=form_values(plan), collection=collection, auto_id=False),
        "figure": ShownFigure(picture, *files),
        "balance": balance,
        "papers": [_shown(row, balance, plan) for row in balance.rows],
        "not_chosen": _not_chosen(state, found, plan)[:NOT_CHOSEN],
        "unlabelled": [] if found.applied_at else missing_labels(collection, balance.rows),
        "is_current": state.digest == found.inputs,
        "before": before,
        "swaps": swaps(found, before) if before else [],
    }
    return render(request, "curation/query_choice.html", context)


def _choice(collection: Collection, name: str) -> QueryChoice:
    found = _other(collection, name)
    if found is None:
        raise Http404(f"no choice {name!r} here")
    return found


def _other(collection: Collection, name: str) -> QueryChoice | None:
    choices = collection.query_choices.select_related("sample", "collection")
    return choices.filter(digest__startswith=name).first() if len(name) >= 12 else None


def _shown(row: ChosenRow, balance: Balance, plan: ChoicePlan) -> Mapping[str, object]:
    return {
        **row,
        "type_name": balance.type_name(row["type"]),
        "facet_names": [balance.facet_names.get(key, key) for key in row["facets"]],
        "is_pinned": row["docno"] in plan.pins,
    }


def _not_chosen(state: SampleState, choice: QueryChoice, plan: ChoicePlan) -> list[RatedPaper]:
    """The papers that the plan could have chosen, the best first, and the barred ones."""
    chosen = {row["docno"] for row in choice.result["papers"]}
    try:
        possible = {candidate.docno for candidate in candidates_of(state.papers, plan)}
    except ChoiceError:  # the screening changed since
        possible = set()
    papers = [
        paper
        for paper in state.papers
        if paper.docno not in chosen and (paper.docno in possible or paper.docno in plan.bars)
    ]
    return sorted(papers, key=lambda paper: (paper.docno in plan.bars, -paper.rating, paper.docno))


@in_collection(Role.ADMIN)
@require_POST
def apply(request: HttpRequest, collection: Collection, choice: str) -> HttpResponse:
    found = _choice(collection, choice)
    try:
        queries = apply_choice(choice=found)
    except ChoiceError as error:
        messages.error(request, str(error))
        return redirect("query-choice", collection.slug, found.name)
    number = count_noun(len(queries), "query", "queries")
    messages.success(request, f"The choice {found.name} is applied. New: {number}.")
    return redirect("queries", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def choice_figure(
    request: HttpRequest, collection: Collection, choice: str, figure: str, extension: str
) -> HttpResponse:
    figures = [balance_figure(Balance.of(_choice(collection, choice)))]
    return figure_file(figures, figure, extension, collection.slug)
