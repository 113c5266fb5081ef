"""How far the judges agree. For admins: it shows what annotators gave."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection, User
from adjudication.labels import labels_state
from agreement.coefficients import EXCLUDE, REGISTRY, STAGES, ZERO, Coefficient
from agreement.figures import medians_csv, report_figures
from annotation.models import Pair
from jobs.models import Report, State
from jobs.work import start_once
from web.csv import csv_response
from web.tables import Column, Filter, Table


@require_GET
@in_collection(ADMIN)
def agreement(request: CollectionRequest, collection: Collection) -> HttpResponse:
    missing = ZERO if request.GET.get("missing") == ZERO else EXCLUDE
    report = Report.objects.find(collection, "agreement", missing=missing)
    job = collection.jobs.filter(kind="compute_agreement").first()
    context = {
        "collection": collection,
        "missing": missing,
        "report": report,
        "job": job if job and job.state not in (State.SUCCEEDED, State.CANCELLED) else None,
        "running": job is not None and not job.is_finished,
    }
    if report is None:
        context["judged"] = Pair.objects.of(collection).judged().count()
        return render(request, "agreement/agreement.html", context)
    shown = [each for each in REGISTRY if each.of_paper or "more" in request.GET]
    chosen = next((each for each in shown if each.key == request.GET.get("by")), shown[0])
    queries = shown_queries(report.data, collection)
    figures = report_figures(report.data, queries, chosen, collection.grades)
    files = {figure.name: figure.csv for several in figures.values() for figure in several}
    files["agreement-medians"] = medians_csv(report.data)
    if request.GET.get("figure") in files:
        return csv_response(f"{request.GET['figure']}.csv", files[request.GET["figure"]])
    context |= {
        "is_current": report.labels == labels_state(collection),
        "judged": sum(row["judged"] for row in report.data["facets"]),
        "stages": STAGES,
        "coefficients": shown,
        "chosen": chosen,
        **figures,
        "couples": report.data["couples"],
        "rounds": report.data["rounds"],
        "names": {str(each.pk): str(each) for each in User.objects.filter(memberships__collection=collection)},
    }
    return query_table(request, queries, shown, chosen).response("agreement/agreement.html", context)


@require_POST
@in_collection(ADMIN)
def compute(request: CollectionRequest, collection: Collection) -> HttpResponse:
    start_once("compute_agreement", collection=collection, by=request.user)
    return redirect(f"{reverse('agreement', args=[collection.slug])}?{request.GET.urlencode()}")


def shown_queries(data: dict[str, Any], collection: Collection) -> list[dict[str, Any]]:
    """The report's rows, each with the query's id without its facet as label, and the address of its page."""
    keys = dict(collection.queries.values_list("name", "pk"))
    return [
        row
        | {
            "label": row["query"].removesuffix(f"_{row['facet']}"),
            "url": reverse("query", args=[collection.slug, keys[row["query"]]]) if row["query"] in keys else "",
        }
        for row in data["queries"]
    ]


def query_table(
    request: CollectionRequest, queries: list[dict[str, Any]], shown: list[Coefficient], chosen: Coefficient
) -> Table:
    """The queries with each shown coefficient before and after, and the reasons for what is undefined."""
    rows = [
        row
        | {f"{each.key}_{stage}": row[stage][each.key] for each in shown for stage in STAGES}
        | {"reasons": reasons(row, shown)}
        for row in queries
    ]
    facets = list(dict.fromkeys(row["facet"] for row in queries))
    numbers = [
        Column(
            f"{each.key}_{stage}",
            each.symbol if stage == "before" else f"{each.symbol} after",
            number=True,
            folded=each != chosen,
            help=f"{each.name}, {stage} adjudication",
        )
        for stage in STAGES
        for each in shown
    ]
    return Table(
        request,
        rows,
        name="agreement",
        row="agreement/_query_row.html",
        columns=[
            Column("query", "Query"),
            Column("pairs", "Pairs", number=True, folded=True),
            Column("missing", "Missing", number=True, folded=True),
            *numbers,
            Column("reasons", "Undefined", sortable=False, folded=True),
        ],
        search=["query"],
        filters=[Filter("facet", "Facet", [(facet, facet) for facet in facets])] if len(facets) > 1 else [],
        one="query",
        many="queries",
    )


def reasons(row: dict[str, Any], shown: list[Coefficient]) -> str:
    """ "ρ: constant rater; κ after: all grades identical", coefficients with the same reason together."""
    symbols: dict[tuple[str, str], list[str]] = {}
    for stage in STAGES:
        for each in shown:
            if reason := row["undefined"][stage].get(each.key):
                symbols.setdefault((stage, reason), []).append(each.symbol)
    return "; ".join(
        f"{', '.join(found)}{' after' if stage == 'after' else ''}: {reason}"
        for (stage, reason), found in symbols.items()
    )
