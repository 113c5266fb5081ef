"""The queries on Progress that are not open: their list, and the form that opens them."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from annotation import team
from annotation.models import Exclusion
from annotation.services import JudgingError
from annotation.team.plans import eligible_annotators
from annotation.unchecked_labels import has_unchecked_labels
from corpus.models import NAME_ORDER, Query
from dashboard.board.closed_queries import closed_queries, closed_rows, is_ready
from dashboard.board.forms import SEATS, ExclusionForm, OpenForm
from dashboard.board.query_table import unused_columns
from dashboard.board.table import CLOSED_QUERIES, NOT_OPEN, closed_filters
from jobs.listing import jobs_to_show
from web.requests.answers import answers
from web.tables.columns import csv_file, rows_of_file, wants_csv
from web.tables.filters import filter_bar, filter_queryset
from web.tables.paging import typed
from web.tables.sorted_paging import SortedRows
from web.words import count_noun


def closed_queries_page(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """The page of Progress with a state of queries that are not open. A POST opens some."""
    if wants_csv(request):
        return _file(request, collection)
    matches = _matches(request, collection)
    form = OpenForm(
        request.POST or None,
        collection=collection,
        matches=matches.filter(
            is_ready(collection, unchecked_labels="unchecked_labels" in request.POST)
        ),
    )
    if not form.is_valid():
        return _page(request, collection, form)
    try:
        plan = team.plan_opening(
            collection=collection,
            queries=list(form.cleaned_data["queries"]),
            annotators=list(form.cleaned_data["annotators"]),
            unchecked_labels=form.cleaned_data["unchecked_labels"],
            senior_reason=form.cleaned_data.get("senior_reason", ""),
        )
        digest = request.POST.get("plan", "")
        if plan.digest != digest:
            return _ask_to_open(request, collection, form, plan, changed=bool(digest))
        return _open(request, collection, form, plan)
    except JudgingError as error:
        form.add_error(None, f"No query was opened. {error}")
        return _page(request, collection, form)


def _matches(request: HttpRequest, collection: Collection) -> QuerySet[Query]:
    """The closed queries that the filters in the address leave."""
    closed = closed_queries(collection).matching(typed(request.GET, "q"))
    filters = closed_filters(collection, list(collection.facets.all()))
    return filter_queryset(closed, filters, request.GET)


def _in_order(queries: QuerySet[Query]) -> SortedRows[Query]:
    return SortedRows.of(queries, "", {"query": ""}, key="name", key_order=NAME_ORDER)


def _file(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    queries = _in_order(_matches(request, collection)).in_order()
    columns = CLOSED_QUERIES.shown(request, unused_columns(list(collection.facets.all())))
    rows = rows_of_file(queries, closed_rows)
    return csv_file(f"{collection.slug}-queries-not-open", columns, rows)


def _open(
    request: HttpRequest, collection: Collection, form: OpenForm, plan: team.OpeningPlan
) -> HttpResponse:
    if plan.is_long:
        team.request_opening(collection=collection, plan=plan, requested_by=person_of(request))
        number = count_noun(len(plan.assignments), "query", "queries")
        messages.info(request, f"Opening {number}. Those that are open can be judged already.")
    else:
        opened = team.open_for_team(
            collection=collection,
            queries=list(form.cleaned_data["queries"]),
            annotators=list(form.cleaned_data["annotators"]),
            opened_by=person_of(request),
            digest=plan.digest,
            unchecked_labels=form.cleaned_data["unchecked_labels"],
            senior_reason=form.cleaned_data.get("senior_reason", ""),
        )
        number = f"{len(opened)} {'query is' if len(opened) == 1 else 'queries are'}"
        messages.success(request, f"{number} open for judging.")
    return redirect("board", collection.slug)


def _address(collection: Collection) -> str:
    return f"{reverse('board', args=[collection.slug])}?state={NOT_OPEN}"


def _page(
    request: HttpRequest,
    collection: Collection,
    form: OpenForm,
    exclusion_form: ExclusionForm | None = None,
) -> HttpResponse:
    matches = _matches(request, collection)
    page = _in_order(matches).page(request)
    facets = list(collection.facets.all())
    exclusions = Exclusion.objects.filter(query_paper__collection=collection, practised=False)
    context = {
        "collection": collection,
        "page": page,
        "columns": CLOSED_QUERIES.shown(request, unused_columns(facets)),
        "rows": closed_rows(page.rows),
        "bar": filter_bar(
            request,
            closed_filters(collection, facets),
            caption="Query or title",
            button="Filter queries",
            path=reverse("board", args=[collection.slug]),
            kept=(),
        ),
        "total": closed_queries(collection).count(),
        "ready": collection.queries.filter(is_ready(collection)).count(),
        "can_open": collection.queries.filter(is_ready(collection, unchecked_labels=True)).exists(),
        "ready_matches": form.matches.count(),
        "unchecked": closed_queries(collection).filter(has_unchecked_labels()).count(),
        "has_queries": collection.queries.exists(),
        "has_annotators": eligible_annotators(collection).count() >= SEATS,
        "form": form,
        "ticked": form.ticked(),
        "exclusions": exclusions.select_related("annotator", "query_paper"),
        "exclusion_form": exclusion_form or ExclusionForm(collection=collection),
        "jobs": jobs_to_show(collection, [team.OPENING_KIND]),
    }
    status = 422 if form.errors or exclusion_form else 200
    return render(request, "dashboard/closed_queries.html", context, status=status)


LISTED = 50  # queries that the question names


def _ask_to_open(
    request: HttpRequest,
    collection: Collection,
    form: OpenForm,
    plan: team.OpeningPlan,
    *,
    changed: bool,
) -> HttpResponse:
    context = {
        "collection": collection,
        "plan": plan,
        "number": len(plan.assignments),
        "changed": changed,
        "drafts": _draft_pools(form.cleaned_data["queries"]),
        "has_facets": collection.facets.exclude(key="").exists(),
        "listed": [
            (assignment, plan.people[assignment.first], plan.people[assignment.second])
            for assignment in plan.assignments[:LISTED]
        ],
        "not_listed": max(0, len(plan.assignments) - LISTED),
        "kept": [*(pair for pair in answers(request) if pair[0] != "plan"), ("plan", plan.digest)],
    }
    return render(request, "dashboard/confirm_open.html", context)


def _draft_pools(queries: QuerySet[Query]) -> int:
    """The number of pools that become frozen when the queries open."""
    papers = queries.filter(query_paper__pool__frozen_at=None).order_by()
    return papers.values("query_paper").distinct().count()


@in_collection(Role.ADMIN)
@require_POST
def add_exclusion(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = ExclusionForm(request.POST, collection=collection)
    if form.is_valid():
        try:
            exclusion = team.exclude(collection=collection, **form.cleaned_data)
        except JudgingError as error:
            form.add_error("docno", str(error))
        else:
            name = exclusion.annotator.shown_name
            messages.success(request, f"{name} is excluded from {exclusion.query_paper}.")
            return _after_exclusion(request, collection, exclusion)
    unbound = OpenForm(collection=collection, matches=Query.objects.none())
    return _page(request, collection, unbound, form)


@in_collection(Role.ADMIN)
@require_POST
def remove_exclusion(
    request: HttpRequest, collection: Collection, exclusion_id: int
) -> HttpResponse:
    exclusions = Exclusion.objects.filter(query_paper__collection=collection)
    exclusion = get_object_or_404(exclusions, pk=exclusion_id)
    try:
        team.end_exclusion(exclusion=exclusion)
    except JudgingError as error:
        messages.error(request, str(error))
    else:
        name = exclusion.annotator.shown_name
        messages.success(request, f"{name} may judge {exclusion.query_paper} again.")
    return _after_exclusion(request, collection, exclusion)


def _after_exclusion(
    request: HttpRequest, collection: Collection, exclusion: Exclusion
) -> HttpResponse:
    """The page that the form was on."""
    if request.POST.get("page") == "person":
        return redirect("person", collection.slug, exclusion.annotator_id)
    return redirect(_address(collection))
