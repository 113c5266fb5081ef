"""How far the judges agree. For admins: it shows what annotators gave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection, User
from adjudication.labels import labels_state
from agreement.coefficients import EXCLUDE, REGISTRY, ZERO, Coefficient
from annotation.models import Pair
from jobs.models import Report, State
from jobs.work import start_once
from web.csv import csv_response
from web.figures import Dots, Heat
from web.tables import Column, Filter, Table

STAGES = ("before", "after")
MOST_DOTS = 60  # rows of a figure: more are no longer read one by one


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
    facets = [row["facet"] for row in report.data["facets"]]
    figures: dict[str, Sequence[Dots | Heat]] = {
        "dots": query_dots(queries, facets, chosen),
        "judges": confusion(report.data, "judges", "judge 1 (rows), judge 2 (columns)", collection.grades),
        "against_label": confusion(report.data, "against_label", "judges (rows), label (columns)", collection.grades),
        "facet_pairs": facet_matrices(report.data, collection.grades),
    }
    files = {figure.name: figure.csv for several in figures.values() for figure in several}
    files["agreement-medians"] = medians_csv(report.data)
    if request.GET.get("figure") in files:
        return csv_response(f"{request.GET['figure']}.csv", files[request.GET["figure"]])
    names = {person.username: str(person) for person in User.objects.filter(memberships__collection=collection)}
    context |= {
        "is_current": report.labels == labels_state(collection),
        "judged": sum(row["judged"] for row in report.data["facets"]),
        "stages": STAGES,
        "coefficients": shown,
        "chosen": chosen,
        **figures,
        "couples": report.data["couples"],
        "names": names,
    }
    return query_table(request, queries, facets, shown, chosen).response("agreement/agreement.html", context)


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
    request: CollectionRequest,
    queries: list[dict[str, Any]],
    facets: list[str],
    shown: list[Coefficient],
    chosen: Coefficient,
) -> Table:
    """The queries with each shown coefficient before and after, and the reasons for what is undefined."""
    rows = [
        row
        | {f"{each.key}_{stage}": row[stage][each.key] for each in shown for stage in STAGES}
        | {"reasons": reasons(row, shown)}
        for row in queries
    ]
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


def query_dots(queries: list[dict[str, Any]], facets: list[str], chosen: Coefficient) -> list[Dots]:
    """For each facet, its queries by the chosen coefficient before adjudication, from the lowest."""
    values = [row[stage][chosen.key] for row in queries for stage in STAGES]
    step = chosen.highest / 10
    low = step * math.floor(min([0.0, *(value for value in values if value is not None)]) / step)
    figures = []
    for facet in facets:
        rows = [
            {
                "label": row["label"],
                "value": row["before"][chosen.key],
                "after": row["after"][chosen.key],
                "reason": row["undefined"]["before"].get(chosen.key, ""),
                "url": row["url"],
            }
            for row in queries
            if row["facet"] == facet
        ]
        rows.sort(key=lambda row: (row["value"] is None, row["value"]))
        figures.append(
            Dots(
                f"agreement-{facet or 'queries'}",
                facet.capitalize() or "All queries",
                chosen.name,
                rows[:MOST_DOTS],
                low=low,
                high=chosen.highest,
                note=f"The {MOST_DOTS} lowest of {len(rows):,} queries." if len(rows) > MOST_DOTS else "",
            )
        )
    return figures


def confusion(data: dict[str, Any], key: str, title: str, grades: list[str]) -> list[Heat]:
    """A matrix for each facet: the grades of the first one in its rows, of the other in its columns."""
    numbers, labels = numbered(grades)
    return [
        Heat(
            f"{key.replace('_', '-')}-{row['facet'] or 'queries'}",
            f"{row['facet'].capitalize() or 'All queries'}: {title}",
            numbers,
            labels,
            row[key],
        )
        for row in data["facets"]
    ]


def facet_matrices(data: dict[str, Any], grades: list[str]) -> list[Heat]:
    numbers, labels = numbered(grades)
    return [
        Heat(
            f"facets-{row['first']}-{row['second']}",
            f"{row['first'].capitalize()} (rows), {row['second']} (columns)",
            numbers,
            labels,
            row["counts"],
        )
        for row in data["facet_pairs"]
    ]


def numbered(grades: list[str]) -> tuple[list[str], list[str]]:
    return [str(number) for number in range(len(grades))], [f"{number} {name}" for number, name in enumerate(grades)]


def medians_csv(data: dict[str, Any]) -> list[list[object]]:
    rows: list[list[object]] = [["facet", "stage", "coefficient", "median", "low", "high", "defined", "queries"]]
    for row in data["facets"]:
        for stage in STAGES:
            for each in REGISTRY:
                found = row[stage][each.key]
                numbers = [found[key] for key in ("median", "low", "high", "defined")]
                rows.append([row["facet"], stage, each.key, *numbers, row["queries"]])
    return rows
