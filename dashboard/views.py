"""An admin's pages across all of a collection: overview, progress, a query, a document, settings, search."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.access import CollectionRequest, in_collection
from accounts.forms import RolesForm
from accounts.models import ADMIN, ANNOTATOR, Collection, Verb
from accounts.record import record
from accounts.services import set_roles
from adjudication.models import Decision
from annotation.forms import HandOverForm
from annotation.models import PairState
from corpus.models import Document
from dashboard import overview, progress, queries
from dashboard.forms import SettingsForm
from dashboard.own_data import own_data
from web.errors import attempt
from web.tables import Column, Filter, Table, words_of

HITS = 20  # of each kind on the search page


@in_collection()
def collection(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """An admin's overview; everyone else goes to their own work."""
    roles = request.membership.roles
    if ADMIN not in roles:
        return redirect("work" if ANNOTATOR in roles else "queue", collection.slug)
    steps = overview.steps(collection)
    context = {
        "collection": collection,
        "steps": steps,
        "next": overview.next_step(steps),
        "jobs": collection.jobs.unfinished().select_related("collection"),
        "waiting": overview.people_waiting(collection),
    }
    return render(request, "dashboard/overview.html", context)


@in_collection(ADMIN)
def show_progress(request: CollectionRequest, collection: Collection) -> HttpResponse:
    counts = progress.slot_counts(collection)
    table = Table(
        request,
        progress.by_query(collection, counts),
        name="progress",
        row="dashboard/_progress_row.html",
        columns=[
            Column("name", "Query"),
            Column("facet", "Facet", folded=True),
            Column("judges", "Judges", sortable=False, value=lambda row: " ".join(j["name"] for j in row["judges"])),
            Column("judged", "Judged", number=True),
            Column("cases", "Cases", number=True, folded=True),
            Column("labelled", "Labelled", number=True),
            Column("state", "State", folded=True),
        ],
        search=["name"],
        filters=[
            Filter("facet", "Facet", [(facet, facet) for facet in collection.facets]),
            Filter("state", "State", [("open", "open"), ("closed", "closed")]),
        ],
        default="name",
        one="query",
        many="queries",
    )
    context = {
        "collection": collection,
        "people": progress.by_person(collection, counts),
        "hand_over": HandOverForm(collection=collection),
    }
    return table.response("dashboard/progress.html", context)


@in_collection(ADMIN)
def person(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """One person's roles and work; who left comes back with some role."""
    member = get_object_or_404(collection.memberships.select_related("user"), pk=pk)
    form = RolesForm(request.POST or None, initial={"roles": member.roles})
    if form.is_valid():
        if attempt(form, set_roles, membership=member, roles=form.cleaned_data["roles"]):
            messages.success(request, f"{member.user} is now {' and '.join(member.roles)}.")
            return redirect("people", collection.slug)
    counts = progress.slot_counts(collection)
    work = [
        {"query": row["query"], "own": judge, "others": [each for each in row["judges"] if each != judge]}
        for row in progress.by_query(collection, counts)
        for judge in row["judges"]
        if judge["judge"] == member.user_id
    ]
    decided = Decision.objects.standing().filter(collection=collection, adjudicator=member.user)
    context = {
        "collection": collection,
        "member": member,
        "form": form,
        "figures": next((row for row in progress.by_person(collection, counts) if row["member"] == member), None),
        "work": sorted(work, key=lambda row: row["query"].name),
        "decided": decided.count(),
    }
    return render(request, "dashboard/person.html", context)


@in_collection(ADMIN)
def show_time(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Active time by person and week."""
    rows = progress.by_week(collection)
    people = {row["user"]: row["person"] for row in rows}
    table = Table(
        request,
        rows,
        name="time",
        row="dashboard/_time_row.html",
        columns=[
            Column("week", "Week"),
            Column("person", "Person"),
            Column("judgments", "Judgments", number=True, folded=True),
            Column("decisions", "Decisions", number=True, folded=True),
            Column("seconds", "Active", number=True, value=lambda row: round(row["seconds"])),
        ],
        search=["person"],
        filters=[
            Filter("user", "Person", sorted(people.items(), key=lambda each: each[1])),
            Filter("week", "Week", [(week, week) for week in dict.fromkeys(row["week"] for row in rows)]),
        ],
        one="row",
        many="rows",
    )
    total = sum(row["seconds"] for row in table.rows)
    return table.response("dashboard/time.html", {"collection": collection, "total": total})


@in_collection(ADMIN)
def query(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """A query with its candidates: who found each, both grades once both are in, and the label."""
    query = get_object_or_404(collection.queries.select_related("document", "collection"), pk=pk)
    table = Table(
        request,
        queries.candidate_rows(query=query),
        name="candidates",
        row="dashboard/_candidate_row.html",
        columns=[
            Column("docno", "Id", folded=True),
            Column("title", "Candidate"),
            Column("a", "A", number=True, help="Grade of the first judge, once both have judged"),
            Column("b", "B", number=True, help="Grade of the second judge, once both have judged"),
            Column("label", "Label", number=True),
            Column("state", "State", folded=True),
            Column("sources", "Found by", folded=True, sortable=False),
            Column("best_rank", "Best rank", number=True, folded=True),
        ],
        search=["docno", "title"],
        filters=[
            Filter("state", "State", [*PairState.choices, (queries.PUBLISHED, "Published")]),
            Filter("label", "Label", enumerate(collection.grades)),
        ],
        default="position",
        one="candidate",
        many="candidates",
        size=100,
    )
    context = {
        "collection": collection,
        "query": query,
        "judges": queries.judges_of(query),
        "agreement": queries.agreement_of(query),
        "scores": queries.scores_of(query),
    }
    return table.response("dashboard/query.html", context)


@in_collection(ADMIN)
def document(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """A document's text, what is known of it, and where it appears."""
    document = get_object_or_404(collection.documents, pk=pk)
    cited = collection.documents.filter(docno__in=document.cites[:500]).only("docno", "title", "sentences")
    context = {
        "collection": collection,
        "document": document,
        "sentences": document.labelled_sentences(),
        "appears": queries.candidate_rows(document=document),
        "cited": cited[:50],
        "queries": document.queries.all(),
        "same_text": collection.documents.filter(text_digest=document.text_digest).exclude(pk=document.pk)[:10],
    }
    return render(request, "dashboard/document.html", context)


@in_collection(ADMIN)
def settings(request: CollectionRequest, collection: Collection) -> HttpResponse:
    form = SettingsForm(request.POST or None, instance=collection)
    if form.is_valid():
        with transaction.atomic():
            form.save()
            record(Verb.SETTINGS, collection=collection, fields=form.changed_data)
        messages.success(request, "Saved.")
        return redirect("settings", collection.slug)
    return render(request, "dashboard/settings.html", {"collection": collection, "form": form})


@in_collection(ADMIN)
def search(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Documents, queries and people whose id or title has all the words."""
    words = words_of(request)
    found: dict[str, Any] = {"documents": [], "queries": [], "members": []}
    if words:
        documents, queries = collection.documents.for_lists(), collection.queries.select_related("document")
        members = collection.memberships.select_related("user")
        for word in words:
            documents = documents.filter(Q(docno__icontains=word) | Q(title__icontains=word))
            queries = queries.filter(
                Q(name__icontains=word) | Q(title__icontains=word) | Q(document__title__icontains=word)
            )
            members = members.filter(Q(user__username__icontains=word) | Q(user__name__icontains=word))
        found = {"documents": documents[:HITS], "queries": queries[:HITS], "members": members[:HITS]}
        hits = [hit for rows in found.values() for hit in rows]
        if len(hits) == 1 and isinstance(hits[0], Document):
            return redirect("document", collection.slug, hits[0].pk)
    context = {"collection": collection, "search_words": " ".join(words), **found}
    return render(request, "dashboard/search.html", context)


def download_own_data(request: CollectionRequest) -> HttpResponse:
    answer = JsonResponse(own_data(request.user), json_dumps_params={"indent": 2, "ensure_ascii": False})
    answer["Content-Disposition"] = 'attachment; filename="qrelsmith-data.json"'
    return answer
