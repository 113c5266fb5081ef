"""The page on which an owner-annotator builds pools and opens queries, in place of admins' pages.

It shows of a pool whether it exists and how many documents it has to judge: no document of it, no
retriever, no rank and no score. It shows nothing that depends on what people judged (ADR 56).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from annotation import team
from annotation.services import JudgingError
from annotation.team.plans import eligible_annotators
from annotation.unchecked_labels import has_unchecked_labels
from corpus.models import NAME_ORDER, SOURCES, Query, QueryQuerySet
from dashboard.board.closed_queries import ClosedRow, closed_queries, closed_rows, is_ready
from dashboard.board.forms import SEATS, OpenForm
from dashboard.board.query_table import UNSHOWN_COLUMNS
from jobs.listing import to_show
from jobs.owners import told, visible_jobs
from pooling.plan_form import MOST_OF_EACH, usual_plan
from pooling.services import request_pools
from web.errors import UserFacingError
from web.requests.answers import answers
from web.tables.paging import page_of
from web.words import count_noun

BUILD = "build_pools"


class PoolSizeForm(forms.Form):
    """The size of the pools to build, and for which queries."""

    size = forms.IntegerField(
        label="New documents from each retriever",
        min_value=1,
        max_value=MOST_OF_EACH,
        initial=10,
        help_text="The pools are drawn from the usual retrievers, and hold what a query paper "
        "cites. For example 10.",
    )
    without_pool = forms.BooleanField(
        label="Only for queries without a pool",
        required=False,
        help_text="Otherwise every pool that is not frozen is built again.",
    )


class SetUpRow(NamedTuple):
    """A query of the list: `closed` is None once it is open."""

    query: Query
    closed: ClosedRow | None


@in_collection(Role.OWNER_ANNOTATOR)
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The list of queries. A POST opens some, after a question."""
    form = OpenForm(
        request.POST or None,
        collection=collection,
        matches=closed_queries(collection).filter(
            is_ready(collection, unchecked_labels="unchecked_labels" in request.POST)
        ),
    )
    if request.method != "POST" or not form.is_valid():
        return _page(request, collection, form)
    try:
        plan = team.plan_opening(
            collection=collection,
            queries=list(form.cleaned_data["queries"]),
            annotators=list(form.cleaned_data["annotators"]),
            unchecked_labels=form.cleaned_data["unchecked_labels"],
        )
        if plan.digest != request.POST.get("plan", ""):
            return _ask_to_open(request, collection, plan)
        _open(request, collection, form, plan)
    except JudgingError as error:
        form.add_error(None, f"No query was opened. {error}")
        return _page(request, collection, form)
    return redirect("set-up", collection.slug)


def _open(
    request: HttpRequest, collection: Collection, form: OpenForm, plan: team.OpeningPlan
) -> None:
    person, number = person_of(request), count_noun(len(plan.assignments), "query", "queries")
    if plan.is_long:
        team.request_opening(collection=collection, plan=plan, requested_by=person)
        messages.info(request, f"Opening {number}. Those that are open can be judged already.")
        return
    team.open_for_team(
        collection=collection,
        queries=list(form.cleaned_data["queries"]),
        annotators=list(form.cleaned_data["annotators"]),
        opened_by=person,
        digest=plan.digest,
        unchecked_labels=form.cleaned_data["unchecked_labels"],
    )
    messages.success(request, f"Opened {number} for judging.")


def _ask_to_open(
    request: HttpRequest, collection: Collection, plan: team.OpeningPlan
) -> HttpResponse:
    """Without the pairs that each person has left, which an annotator is not told either."""
    context = {
        "collection": collection,
        "number": len(plan.assignments),
        "pairs": sum(plan.pairs[assignment.query] for assignment in plan.assignments),
        "people": list(plan.people.values()),
        "unchecked": len(plan.unchecked),
        "kept": [*(pair for pair in answers(request) if pair[0] != "plan"), ("plan", plan.digest)],
    }
    return render(request, "dashboard/confirm_set_up.html", context)


@in_collection(Role.OWNER_ANNOTATOR)
@require_POST
def build(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Queue the building of pools by the usual plan."""
    form = PoolSizeForm(request.POST)
    if form.is_valid():
        try:
            request_pools(
                collection=collection,
                plan=usual_plan(collection, form.cleaned_data["size"]),
                requested_by=person_of(request),
                without_pool=form.cleaned_data["without_pool"],
            )
        except UserFacingError as error:
            form.add_error(None, str(error))
        else:
            messages.info(request, "The pools are being built.")
            return redirect("set-up", collection.slug)
    unbound = OpenForm(collection=collection, matches=Query.objects.none())
    return _page(request, collection, unbound, form)


def _page(
    request: HttpRequest,
    collection: Collection,
    form: OpenForm,
    pool_form: PoolSizeForm | None = None,
) -> HttpResponse:
    page = page_of(_queries(collection), "name", request.GET, order=NAME_ORDER)
    total, opened = collection.queries.count(), collection.queries.filter(opening__isnull=False)
    jobs = visible_jobs(collection, person_of(request)).select_related("requested_by")
    context: dict[str, Any] = {
        "collection": collection,
        "page": page,
        "rows": _rows(page.rows),
        "total": total,
        "opened": opened.count(),
        "to_pool": collection.query_papers.filter(
            queries__isnull=False, pool__frozen_at=None
        ).exists(),
        "ready_matches": form.matches.count(),
        "unchecked": closed_queries(collection).filter(has_unchecked_labels()).count(),
        "can_open": collection.queries.filter(is_ready(collection, unchecked_labels=True)).exists(),
        "has_annotators": eligible_annotators(collection).count() >= SEATS,
        "form": form,
        "ticked": form.ticked(),
        "pool_form": pool_form or PoolSizeForm(),
        "jobs": [told(job) for job in to_show(jobs, [BUILD, team.OPENING_KIND])],
    }
    status = 422 if form.errors or pool_form else 200
    return render(request, "dashboard/set_up.html", context, status=status)


def _queries(collection: Collection) -> QueryQuerySet:
    queries: QueryQuerySet = collection.queries.annotate(labels_unchecked=has_unchecked_labels())
    related = ("facet", "opening", *SOURCES, "query_paper__pool")
    return queries.select_related(*related).defer(*UNSHOWN_COLUMNS)


def _rows(queries: list[Query]) -> list[SetUpRow]:
    closed = {
        row.query.pk: row
        for row in closed_rows([query for query in queries if not hasattr(query, "opening")])
    }
    return [SetUpRow(query, closed.get(query.pk)) for query in queries]
