"""How far scores can be trusted, as a page. For admins."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection, User
from adjudication.labels import labelled_queries
from evaluation import trust as trusted
from evaluation import unjudged
from evaluation.measures import SCOPES
from evaluation.pool_bias import SAME, places
from evaluation.views import Choice
from jobs.models import Report, State
from jobs.work import start_once
from retrieval.models import RankedList
from web.csv import csv_response
from web.figures import Lines
from web.tables import Column, Table


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def trust(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Pool bias, whose labels, unjudged: as last computed for this choice. POST computes it anew."""
    labelled = labelled_queries(collection)
    choice = Choice(request, collection, {name: {} for name in labelled})
    about = {"profile": choice.profile.name, "scope": choice.profile.scope, "measure": choice.by, "split": choice.split}
    if request.method == "POST":
        start_once("compute_trust", collection=collection, by=request.user, **about)
        return redirect(request.get_full_path())
    report = Report.objects.find(collection, trusted.KIND, **about)
    job = collection.jobs.filter(kind="compute_trust", parameters=about).first()
    context: dict[str, Any] = {
        "collection": collection,
        "choice": choice,
        "scopes": SCOPES,
        "report": report,
        "job": job if job and job.state not in (State.SUCCEEDED, State.CANCELLED) else None,
        "is_running": job is not None and not job.is_finished,
        "can_compute": bool(labelled) and RankedList.objects.filter(run__collection=collection).exists(),
    }
    if report is None:
        return render(request, "evaluation/trust.html", context)
    facets = [row for row in report.data["facets"] if not choice.facet or row["facet"] == choice.facet]
    growth = growth_figure(facets)
    if request.GET.get("figure") == growth.name:
        return csv_response(f"{growth.name}.csv", growth.csv)
    people = {str(each.pk): str(each) for each in User.objects.filter(memberships__collection=collection)}
    context |= {
        "is_current": report.labels == trusted.state_of(collection),
        "panels": [
            {
                "facet": facet,
                "worst": worst(report.data["sources"], facet["facet"]),
                "sources": source_rows(report.data["sources"], facet),
                "systems": sorted(facet["systems"], key=lambda name: (-facet["systems"][name], name)),
                "labels": label_rows(report.data["labels"], facet, people),
            }
            for facet in facets
        ],
        "growth": growth,
        "depths": unjudged.DEPTHS,
        "unjudged": report.data["unjudged"],
        "wanted": unjudged.WANTED,
    }
    return next_table(request, choice, report).response("evaluation/trust.html", context)


def source_rows(sources: list[dict[str, Any]], facet: dict[str, Any]) -> list[dict[str, Any]]:
    """What each source brought, what it is scored at without that, and which system loses most; most unique first."""
    rows = []
    for row in (each for each in sources if each["facet"] == facet["facet"]):
        itself = next((each for each in row["systems"] if each["system"] == row["source"]), None)
        lowered = next((each for each in row["systems"] if each["change"] < -SAME), None)
        rows.append(row | {"itself": itself and shown_effect(itself), "lowered": lowered and shown_effect(lowered)})
    return sorted(rows, key=lambda row: (-row["alone"], row["source"]))


def shown_effect(effect: dict[str, Any]) -> dict[str, Any]:
    return effect | {"points": 100 * effect["change"]}


def worst(sources: list[dict[str, Any]], facet: str) -> dict[str, Any] | None:
    """The largest loss of a system, with the source whose documents cause it; None if none loses."""
    losses = [
        shown_effect(effect) | {"source": row["source"]}
        for row in sources
        for effect in row["systems"]
        if row["facet"] == facet and effect["change"] < -SAME
    ]
    return min(losses, key=lambda loss: (loss["change"], loss["source"]), default=None)


def label_rows(sets: list[dict[str, Any]], facet: dict[str, Any], people: dict[str, str]) -> list[dict[str, Any]]:
    """The final labels, then each set with the places that it gives to the systems."""
    final = {"name": "Final labels", "pairs": facet["labels"], "theirs": facet["systems"], "is_final": True}
    rows = [final, *(row for row in sets if row["facet"] == facet["facet"])]
    return [row | {"name": people.get(row["name"], row["name"]), "places": places(row["theirs"])} for row in rows]


def growth_figure(facets: list[dict[str, Any]]) -> Lines:
    """Percent of the relevant documents among the first n of each pool, in the order drawn."""
    series = [
        {
            "label": row["facet"] or "all queries",
            "points": [(n, 100 * found / row["relevant"]) for n, found in enumerate(row["growth"], 1)],
        }
        for row in facets
        if row["relevant"] and row["growth"]
    ]
    return Lines(
        "growth", "Relevant documents by depth of the pools", "Documents of each pool, as drawn", "% found", series
    )


def next_table(request: CollectionRequest, choice: Choice, report: Report) -> Table:
    rows = [
        row | {"lists": len(row["systems"]), "pk": choice.queries[row["query"]].pk}
        for row in report.data["next"]
        if row["query"] in choice.queries and choice.facet in ("", choice.queries[row["query"]].facet)
    ]
    columns = [
        Column("docno", "Document"),
        Column("query", "Query"),
        Column("best", "Best rank", number=True),
        Column("lists", "Lists", number=True),
        Column("systems", "Systems", folded=True, sortable=False, value=lambda row: " ".join(row["systems"])),
    ]
    table = Table(
        request,
        rows,
        name="next",
        row="evaluation/_next_row.html",
        columns=columns,
        search=["docno", "query"],
        one="document",
        many="documents",
    )
    shown = request.collection.documents.filter(docno__in=[row["docno"] for row in table.page])
    documents = {each.docno: each for each in shown.only("docno", "title", "sentences")}
    for row in table.page:
        row["document"] = documents.get(row["docno"])
    return table
