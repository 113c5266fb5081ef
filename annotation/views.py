"""The annotator's pages. Nothing here reads runs, contributions, scores, or what anyone else judged."""

from __future__ import annotations

import uuid
from statistics import median
from typing import Any

from django.contrib import messages
from django.db.models import Count, Exists, Min, OuterRef
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, ANNOTATOR, Collection, User
from annotation import guidelines, judging
from annotation.forms import GuidelineForm, JudgmentForm
from annotation.models import Guideline, Judgment, Practice, Reason, Slot, progress_of
from annotation.presentation import shown_query
from corpus.models import Query
from web.errors import AppError, NotFound, attempt
from web.forms import cleaned
from web.tables import Column, Filter, Table
from web.templatetags.ui import duration, plural

USUAL_SECONDS = 15.0  # for a pair, until a person has judged some: CSFCube's annotators took about 15


@require_GET
@in_collection(ANNOTATOR)
def work(request: CollectionRequest, collection: Collection) -> HttpResponse:
    rows = own_queries(request.user, collection)
    waiting = [row for row in rows if row["judged"] < row["total"]]
    left = sum(row["total"] - row["judged"] for row in waiting)
    spent = sum(row["seconds_left"] for row in waiting)
    lead = f"{plural(left, 'pair,pairs')} to judge, about {duration(spent)} at your pace." if left else ""
    finished = [row for row in rows if row["judged"] == row["total"]]
    context = {"collection": collection, "waiting": waiting, "finished": finished, "lead": lead}
    context["trainings"] = finished_trainings(request.user, collection)
    return render(request, "annotation/work.html", context)


def finished_trainings(annotator: User, collection: Collection) -> list[Practice]:
    """Those whose answers the annotator may see."""
    own = Slot.objects.filter(judge=annotator, pair__opening__practice=OuterRef("pk"))
    trainings = collection.practices.exclude(gold={})
    return list(trainings.filter(Exists(own), ~Exists(own.filter(judgment=None))))


def own_queries(annotator: User, collection: Collection) -> list[dict[str, Any]]:
    """The annotator's queries in the order they were opened, with counts of their pairs."""
    counts = (
        Slot.objects.filter(judge=annotator, pair__query__collection=collection)
        .without_past_practice()
        .values("pair__query")
        .annotate(total=Count("pk"), judged=Count("judgment"), opened=Min("pair__opening"))
        .order_by("opened")
    )
    queries = collection.queries.select_related("document").in_bulk([row["pair__query"] for row in counts])
    pace = pace_of(annotator)
    return [
        row | {"query": queries[row["pair__query"]], "seconds_left": pace * (row["total"] - row["judged"])}
        for row in counts
    ]


def pace_of(annotator: User) -> float:
    """Median seconds of the last fifty first judgments."""
    recent = Judgment.objects.filter(judge=annotator, seconds__isnull=False).order_by("-created_at")[:50]
    seconds = [judgment.seconds or 0.0 for judgment in recent.only("seconds")]
    return median(seconds) if len(seconds) >= 5 else USUAL_SECONDS


@require_GET
@in_collection(ANNOTATOR)
def workspace(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """The next pair of a query; with `?before=<token>` the one judged before it."""
    query = own_query(request.user, collection, pk)
    if "before" in request.GET:
        shown = judging.previous_pair(request.user, query, request.GET["before"])
    else:
        shown = next(iter(judging.next_pairs(request.user, query, number=1)), None)
    shown = shown or judging.previous_pair(request.user, query)
    if shown is None:
        return redirect("work", collection.slug)
    return _workspace(request, collection, query, shown)


def own_query(annotator: User, collection: Collection, pk: int) -> Query:
    query = collection.queries.select_related("document").filter(pk=pk, pairs__slots__judge=annotator).first()
    if query is None:
        raise NotFound(judging.NOT_YOURS)
    return query


def _workspace(
    request: CollectionRequest, collection: Collection, query: Query, shown: judging.Shown, status: int = 200
) -> HttpResponse:
    guideline = guidelines.guideline_in_force(collection, query.facet)
    progress = progress_of(request.user, query)
    pace, left = pace_of(request.user), progress["total"] - progress["judged"]
    others = [row for row in own_queries(request.user, collection) if row["judged"] < row["total"]]
    context = {
        "collection": collection,
        "query": query,
        "query_text": shown_query(query),
        "shown": shown,
        "ahead": judging.next_pairs(request.user, query, without=[shown.token]),
        "progress": progress,
        "left": left,
        "pace": pace,
        "minutes_left": round(left * pace / 60),
        "guideline": guideline,
        "grade_rows": guidelines.grade_rows(guideline, collection),
        "reasons": Reason.choices,
        "new_key": uuid.uuid4(),
        "next_query": next((row["query"] for row in others if row["query"] != query), None),
    }
    return render(request, "annotation/workspace.html", context, status=status)


@require_GET
@in_collection(ANNOTATOR)
def more_pairs(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """Articles for the page's script: the next pairs without those it has, or the one judged before a token."""
    query = own_query(request.user, collection, pk)
    if "before" in request.GET:
        earlier = judging.previous_pair(request.user, query, request.GET["before"])
        pairs = [earlier] if earlier else []
    else:
        without = [token for token in request.GET.get("without", "").split(",") if token]
        pairs = judging.next_pairs(request.user, query, without=without)
    context = {"collection": collection, "query": query, "pairs": pairs}
    return render(request, "annotation/pairs.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ANNOTATOR)
def judge_pair(request: CollectionRequest, collection: Collection, pk: int, token: str) -> HttpResponse:
    """GET shows one pair (to the script: only its article); POST judges it."""
    query = get_object_or_404(collection.queries.select_related("document"), pk=pk)
    if request.method == "GET":
        shown = judging.shown_pair(request.user, query, token)
        if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
            context = {"collection": collection, "query": query, "pairs": [shown]}
            return render(request, "annotation/pairs.html", context)
        return _workspace(request, collection, query, shown)
    is_script = not request.accepts("text/html")
    if other := other_person(request):
        return other
    try:
        values = cleaned(JudgmentForm(request.POST))
        judgment = judging.submit_judgment(judge=request.user, query=query, token=token, **values)
    except AppError as error:
        if is_script or isinstance(error, NotFound):
            raise
        messages.error(request, str(error))
        return _workspace(request, collection, query, judging.shown_pair(request.user, query, token), error.status)
    if is_script:
        return JsonResponse({"key": str(judgment.key)})
    return redirect("workspace", collection.slug, query.pk)


def other_person(request: CollectionRequest) -> HttpResponse | None:
    """An answer that was kept in this browser by someone else is not saved for who is logged in now."""
    if request.POST.get("person", str(request.user.pk)) == str(request.user.pk):
        return None
    answer = {
        "error": "OtherPerson",
        "message": "Someone else is logged in now.",
        "key": request.POST.get("key", ""),
    }
    return JsonResponse(answer, status=403)


@require_POST
@in_collection(ANNOTATOR)
def later(request: CollectionRequest, collection: Collection, pk: int, token: str) -> HttpResponse:
    query = own_query(request.user, collection, pk)
    if other := other_person(request):
        return other
    judging.put_off(judge=request.user, query=query, token=token)
    if not request.accepts("text/html"):
        return JsonResponse({"key": request.POST.get("key", "")})
    return redirect("workspace", collection.slug, query.pk)


@require_GET
@in_collection(ANNOTATOR)
def review(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """One's own judgments, those that count."""
    judgments = Judgment.objects.filter(collection=collection, judge=request.user, counts_in__isnull=False)
    queries = collection.queries.filter(pairs__slots__judge=request.user).distinct().order_by("name")
    table = Table(
        request,
        judgments.select_related("slot__pair__document", "slot__pair__query"),
        name="judgments",
        row="annotation/_judgment_row.html",
        columns=[
            Column(
                "slot__pair__document__title",
                "Candidate",
                value=lambda row: row.slot.pair.document.shown_title,
            ),
            Column("slot__pair__query__name", "Query", folded=True),
            Column("grade", "Grade", number=True),
            Column("created_at", "When", number=True, folded=True),
        ],
        search=["slot__pair__document__title", "slot__pair__query__name", "note"],
        filters=[
            Filter("query", "Query", [(query.pk, query.name) for query in queries], "slot__pair__query"),
            Filter("grade", "Grade", [*enumerate(collection.grades)]),
            Filter("reason", "Cannot judge", Reason.choices),
        ],
        default="-created_at",
        one="judgment",
        many="judgments",
    )
    return table.response("annotation/review.html", {"collection": collection})


@require_GET
@in_collection()
def guideline(request: CollectionRequest, collection: Collection) -> HttpResponse:
    facet = chosen_facet(request, collection)
    versions = Guideline.objects.filter(collection=collection, facet=facet)
    current = guidelines.guideline_in_force(collection, facet)
    if wanted := request.GET.get("version", ""):
        current = get_object_or_404(versions, version=wanted if wanted.isdecimal() and len(wanted) < 6 else 0)
    context = {
        "collection": collection,
        "facet": facet,
        "facets": guidelines.guided_facets(collection),
        "guideline": current,
        "versions": versions,
        "grade_rows": guidelines.grade_rows(current, collection),
        "can_edit": ADMIN in request.membership.roles,
    }
    return render(request, "annotation/guideline.html", context)


def chosen_facet(request: CollectionRequest, collection: Collection) -> str:
    facets = guidelines.guided_facets(collection)
    asked = request.GET.get("facet", facets[0])
    if asked not in facets:
        raise NotFound(f"{collection} has no facet {asked!r}.")
    return asked


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def edit_guideline(request: CollectionRequest, collection: Collection) -> HttpResponse:
    facet = chosen_facet(request, collection)
    current = guidelines.guideline_in_force(collection, facet)
    form = GuidelineForm(request.POST or None, collection=collection, guideline=current)
    if form.is_valid():
        values = {
            "text": form.cleaned_data["text"],
            "grades": form.grades,
            "change": form.cleaned_data["change"],
        }
        if attempt(form, guidelines.save_guideline, collection=collection, facet=facet, by=request.user, **values):
            return redirect(f"{request.path.removesuffix('edit/')}?facet={facet}")
    context = {"collection": collection, "facet": facet, "form": form, "next_version": current.version + 1}
    return render(request, "annotation/edit_guideline.html", context)
