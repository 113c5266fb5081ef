"""How far scores can be trusted, as a page. For admins."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection, User
from evaluation import trust as trusted
from evaluation import unjudged
from evaluation.pool_bias import SAME, places
from evaluation.views import Choice
from jobs.models import Report
from jobs.work import start_once
from retrieval.models import RankedList
from web.csv import csv_response
from web.figures import Lines
from web.tables import Column, Table


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def trust(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Pool bias, whose labels, unjudged: as last computed for this choice. POST computes it anew."""
    choice = Choice(request, collection)
    about = {"profile": choice.profile.name, "scope": choice.profile.scope, "measure": choice.by, "split": choice.split}
    if request.method == "POST":
        start_once("compute_trust", collection=collection, by=request.user, **about)
        return redirect(request.get_full_path())
    report = Report.objects.find(collection, trusted.KIND, **about)
    job = collection.jobs.filter(kind="compute_trust", parameters=about).first()
    context: dict[str, Any] = {
        "collection": collection,
        "choice": choice,
        "report": report,
        "job": job,
        "is_running": job is not None and not job.is_finished,
        "can_compute": choice.labelled and RankedList.objects.filter(run__collection=collection).exists(),
    }
    if report is None:
        return render(request, "evaluation/trust.html", context)
    facets = [row for row in report.data["facets"] if not choice.facet or row["facet"] == choice.facet]
    growth = growth_figure(facets)
    if request.GET.get("figure") == growth.name:
        return csv_response(f"{growth.name}.csv", growth.csv)
    context |= {
        "is_current": report.labels == trusted.state_of(collection),
        "panels": [panel(report.data, facet) for facet in facets],
        "people": {str(each.pk): str(each) for each in User.objects.filter(memberships__collection=collection)},
        "growth": growth,
        "depths": unjudged.DEPTHS,
        "unjudged": report.data["unjudged"],
        "wanted": unjudged.WANTED,
    }
    return next_table(request, choice, report).response("evaluation/trust.html", context)


def panel(data: dict[str, Any], facet: dict[str, Any]) -> dict[str, Any]:
    """Of a facet: what each source brought and what systems lose without it; how each set of labels ranks them."""
    sources, losses = [], []
    for row in (each for each in data["sources"] if each["facet"] == facet["facet"]):
        effects = [effect | {"points": 100 * effect["change"]} for effect in row["systems"]]
        itself = next((effect for effect in effects if effect["system"] == row["source"]), None)
        lowered = next((effect for effect in effects if effect["change"] < -SAME), None)
        sources.append(row | {"itself": itself, "lowered": lowered})
        losses += [lowered | {"source": row["source"]}] if lowered else []
    final = {"name": "Final labels", "pairs": facet["labels"], "theirs": facet["systems"], "is_final": True}
    sets = [final, *(row for row in data["labels"] if row["facet"] == facet["facet"])]
    return {
        "facet": facet,
        "sources": sorted(sources, key=lambda row: (-row["alone"], row["source"])),
        "worst": min(losses, key=lambda loss: (loss["change"], loss["source"]), default=None),
        "systems": sorted(facet["systems"], key=lambda name: (-facet["systems"][name], name)),
        "labels": [row | {"places": places(row["theirs"])} for row in sets],
    }


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
    documents = {each.docno: each for each in shown.only("collection", "docno", "title", "sentences")}
    for row in table.page:
        row["document"] = documents.get(row["docno"])
    return table
