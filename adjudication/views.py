"""The adjudicator's pages, and an admin's table of all cases. Nothing here names a judge to an adjudicator."""

from __future__ import annotations

import uuid
from statistics import median

from django.contrib import messages
from django.db.models import Case as Choice
from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADJUDICATOR, ADMIN, Collection, User
from adjudication import cases, decisions
from adjudication.forms import DecisionForm, ReopenForm
from adjudication.models import Decision
from annotation.guidelines import grade_rows, guideline_in_force
from annotation.models import Pair, PairState, Slot
from annotation.presentation import shown_query
from annotation.views import other_person
from corpus.models import Query
from web.errors import AppError, NotFound, attempt
from web.forms import cleaned
from web.tables import Column, Filter, Table

USUAL_SECONDS = 30.0  # for a case, until a person has decided some


@require_GET
@in_collection(ADJUDICATOR)
def queue(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Queries with cases. The button goes on with the query that was decided last, while it has any."""
    rows = cases.queue(request.user, collection)
    waiting = [row for row in rows if row["left"]]
    last = cases.own_decisions(request.user, collection).order_by("-pk").values_list("pair__query", flat=True).first()
    context = {
        "collection": collection,
        "waiting": waiting,
        "finished": [row for row in rows if not row["left"]],
        "next_query": next((row["query"] for row in waiting if row["query"].pk == last), None)
        or next((row["query"] for row in waiting), None),
        "left": sum(row["left"] for row in rows),
        "missing": cases.MISSING,
    }
    return render(request, "adjudication/queue.html", context)


@require_GET
@in_collection(ADJUDICATOR)
def case_work(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """The next case of a query; with `?before=<token>` the one decided before it; for htmx the decided ones."""
    query = find_query(collection, pk)
    if request.headers.get("HX-Target") == "anchors":
        context = {"collection": collection, "anchors": cases.decided_before(request.user, query)}
        return render(request, "adjudication/_anchors.html", context)
    if "before" in request.GET:
        shown = cases.previous_case(request.user, query, request.GET["before"])
    else:
        shown = next(iter(cases.next_cases(request.user, query, number=1)), None)
    shown = shown or cases.previous_case(request.user, query)
    return _case_page(request, collection, query, shown) if shown else redirect("queue", collection.slug)


def find_query(collection: Collection, pk: int) -> Query:
    query = collection.queries.select_related("collection", "document__collection").filter(pk=pk).first()
    if query is None:
        raise NotFound(decisions.NO_CASE)
    return query


def _case_page(
    request: CollectionRequest, collection: Collection, query: Query, shown: cases.Case, status: int = 200
) -> HttpResponse:
    guideline = guideline_in_force(collection, query.facet)
    rows = cases.queue(request.user, collection)
    own = next((row for row in rows if row["query"] == query), {"left": 0, "decided": 0, "total": 0})
    pace = pace_of(request.user)
    context = {
        "collection": collection,
        "query": query,
        "query_text": shown_query(query),
        "shown": shown,
        "ahead": cases.next_cases(request.user, query, without=[shown.token]),
        "anchors": cases.decided_before(request.user, query),
        "progress": {"judged": own["decided"], "total": own["total"]},
        "left": own["left"],
        "pace": pace,
        "minutes_left": round(own["left"] * pace / 60),
        "guideline": guideline,
        "grade_rows": grade_rows(guideline, collection),
        "note": request.POST.get("note", shown.decision.note if shown.decision else ""),
        "new_key": uuid.uuid4(),
        "next_query": next((row["query"] for row in rows if row["left"] and row["query"] != query), None),
    }
    return render(request, "adjudication/case.html", context, status=status)


def pace_of(adjudicator: User) -> float:
    """Median seconds of the last fifty decisions."""
    recent = Decision.objects.filter(adjudicator=adjudicator, seconds__isnull=False).order_by("-pk")[:50]
    seconds = [seconds or 0.0 for seconds in recent.values_list("seconds", flat=True)]
    return median(seconds) if len(seconds) >= 5 else USUAL_SECONDS


@require_GET
@in_collection(ADJUDICATOR)
def more_cases(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """Articles for the page's script: the next cases without those it has, or the one decided before a token."""
    query = find_query(collection, pk)
    if "before" in request.GET:
        earlier = cases.previous_case(request.user, query, request.GET["before"])
        shown = [earlier] if earlier else []
    else:
        without = [token for token in request.GET.get("without", "").split(",") if token]
        shown = cases.next_cases(request.user, query, without=without)
    return render(request, "adjudication/cases.html", {"collection": collection, "query": query, "cases": shown})


@require_http_methods(["GET", "POST"])
@in_collection(ADJUDICATOR)
def case(request: CollectionRequest, collection: Collection, pk: int, token: str) -> HttpResponse:
    """GET shows one case (to the script: only its article); POST decides it."""
    query = find_query(collection, pk)
    if request.method == "GET":
        shown = cases.find_case(request.user, query, token)
        if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
            context = {"collection": collection, "query": query, "cases": [shown]}
            return render(request, "adjudication/cases.html", context)
        return _case_page(request, collection, query, shown)
    if other := other_person(request):
        return other
    is_script = not request.accepts("text/html")
    try:
        values = cleaned(DecisionForm(request.POST))
        decision = decisions.decide(adjudicator=request.user, query=query, token=token, **values)
    except AppError as error:
        if is_script or isinstance(error, NotFound):
            raise
        messages.error(request, str(error))
        return _case_page(request, collection, query, cases.find_case(request.user, query, token), error.status)
    return JsonResponse({"key": str(decision.key)}) if is_script else redirect("case-work", collection.slug, query.pk)


@require_GET
@in_collection(ADJUDICATOR)
def own_decisions(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """One's own decisions, those that count."""
    own = cases.own_decisions(request.user, collection)
    queries = collection.queries.filter(pk__in=own.values("pair__query")).order_by("name")
    table = Table(
        request,
        own.with_texts(),
        name="decisions",
        row="adjudication/_decision_row.html",
        columns=[
            Column("pair__document__title", "Candidate", value=lambda row: row.pair.document.shown_title),
            Column("pair__query__name", "Query", folded=True),
            Column("a", "A", number=True, sortable=False, value=lambda row: row.sides.a.grade),
            Column("b", "B", number=True, sortable=False, value=lambda row: row.sides.b.grade),
            Column("grade", "Label", number=True),
            Column("note", "Note", sortable=False, folded=True),
            Column("created_at", "When", number=True, folded=True),
        ],
        search=["pair__document__title", "pair__query__name", "note"],
        filters=[
            Filter("query", "Query", [(query.pk, query.name) for query in queries], "pair__query"),
            Filter("grade", "Label", [*enumerate(collection.grades)]),
        ],
        default="-created_at",
        one="decision",
        many="decisions",
    )
    return table.response("adjudication/decisions.html", {"collection": collection})


OUTCOMES = {"case": "To decide", "accepted": "Accepted", "overruled": "Overruled", "aside": "Set aside"}


@require_GET
@in_collection(ADMIN)
def all_cases(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """All cases, decided or not. An admin who judges sees a pair only when both its judgments are in, too."""
    rows = with_judgments(Pair.objects.of(collection).filter(state__in=[PairState.CASE, PairState.DECIDED]))
    queries = collection.queries.filter(pk__in=rows.values("query")).order_by("name")
    table = Table(
        request,
        rows.select_related("query", "document"),
        name="cases",
        row="adjudication/_case_row.html",
        columns=[
            Column("query__name", "Query", folded=True),
            Column("document__docno", "Candidate"),
            Column("first_grade", "First", number=True),
            Column("second_grade", "Second", number=True),
            Column("final", "Label", number=True),
            Column("outcome", "State", folded=True),
            Column("adjudicator", "Adjudicator", folded=True),
            Column("note", "Note", sortable=False, folded=True),
        ],
        search=["query__name", "document__docno", "document__title", "adjudicator", "note"],
        filters=[
            Filter("outcome", "State", OUTCOMES.items()),
            Filter("query", "Query", [(query.pk, query.name) for query in queries]),
        ],
        default="query__name",
        one="case",
        many="cases",
    )
    return table.response("adjudication/all_cases.html", {"collection": collection, "outcomes": OUTCOMES})


def with_judgments(pairs: QuerySet[Pair]) -> QuerySet[Pair]:
    """Each pair with the grades of its slots, who decided it and how."""
    first, second = (
        Slot.objects.filter(pair=OuterRef("pk"), number=number).values("judgment__grade")[:1] for number in (1, 2)
    )
    decision = Decision.objects.standing().filter(pair=OuterRef("pk"))
    return pairs.annotate(
        first_grade=Subquery(first),
        second_grade=Subquery(second),
        adjudicator=Subquery(decision.values("adjudicator__username")[:1]),
        note=Subquery(decision.values("note")[:1]),
        outcome=Choice(
            When(state=PairState.CASE, then=Value("case")),
            When(final=None, then=Value("aside")),
            When(Q(final=F("first_grade")) | Q(final=F("second_grade")), then=Value("accepted")),
            default=Value("overruled"),
        ),
    )


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def reopen(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    settled = Pair.objects.of(collection).labelled().select_related("query__collection", "document")
    pair = get_object_or_404(settled, pk=pk)
    form = ReopenForm(request.POST or None)
    if form.is_valid():
        if attempt(form, decisions.reopen_pair, admin=request.user, pair=pair, reason=form.cleaned_data["reason"]):
            messages.success(request, f"{pair} is with the adjudicators again.")
            return redirect(f"{reverse('cases', args=[collection.slug])}?query={pair.query_id}")
    slots = pair.slots.select_related("judge", "judgment").order_by("number")
    decision = decisions.current_decision(pair)
    context = {"collection": collection, "pair": pair, "form": form, "slots": slots, "decision": decision}
    return render(request, "adjudication/reopen.html", context)
