"""The page of what changed between two versions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from bundle.label_changes import KINDS, LabelPair
from evaluation.label_effects.rankings import BadMeasure, measure_names, usual_measure
from jobs.listing import jobs_to_show
from release.models import Release
from release.versions.changes import (
    PAGE_ROWS,
    changed_pairs,
    earlier_versions,
    facet_lines,
    page_of_pairs,
    summary_of,
)
from release.versions.published_files import Unreadable
from release.versions.rankings import JOB_KIND, ranking_change, request_rankings
from web.tables.columns import Column, Table, csv_file, wants_csv
from web.tables.paging import whole_number

CHANGES: Table[tuple[str, LabelPair]] = Table(
    "label-changes",
    [
        Column("query", "Query", {"query": lambda row: row[1].query}),
        Column("facet", "Facet", {"facet": lambda row: row[0]}),
        Column("docno", "Document", {"docno": lambda row: row[1].docno}),
        Column("kind", "Change", {"change": lambda row: row[1].kind}),
        Column("before", "Before", {"before": lambda row: row[1].before or ""}),
        Column("after", "After", {"after": lambda row: row[1].after or ""}),
    ],
)


@in_collection(Role.ADMIN)
@require_safe
def changes(request: HttpRequest, collection: Collection, version: str) -> HttpResponseBase:
    after, before, earlier = _versions(collection, version, request.GET.get("since", ""))
    context: dict[str, Any] = {"collection": collection, "release": after, "earlier": earlier}
    if before is None:
        return render(request, "release/changes.html", context)
    kind = request.GET.get("kind", "")
    chosen = {"kind": kind if kind in KINDS else "", "facet": request.GET.get("facet")}
    try:
        lines = facet_lines(before, after, summary := summary_of(before, after))
        known = {line.facet for line in lines}
        if chosen["facet"] not in known or len(known) == 1:
            chosen["facet"] = None
        pairs = changed_pairs(before, after, facet=chosen["facet"], kind=chosen["kind"] or "")
        if wants_csv(request):
            name = f"{collection.slug}-{before.version}-{version}-labels"
            return csv_file(name, CHANGES.shown(request), pairs)
        number = whole_number(request.GET, "page", digits=6)
        rows = page_of_pairs(pairs, number)
    except Unreadable as error:
        context |= {"before": before, "unreadable": str(error)}
        return render(request, "release/changes.html", context)
    job, ranking = ranking_change(before, after) or (None, None)
    address = _address(request.path, before.version, chosen)
    context |= {
        "before": before,
        "lines": lines,
        "summary": summary,
        "has_facets": known != {""},
        "kinds": [kind for kind in KINDS if kind != "same"],
        "chosen": chosen,
        "rows": rows[:PAGE_ROWS],
        "earlier_page": f"{address}&page={number - 1}#pairs" if number > 1 else "",
        "next_page": f"{address}&page={number + 1}#pairs" if len(rows) > PAGE_ROWS else "",
        "csv": f"{address}&format=csv",
        "ranking": ranking,
        "ranked_at": job and job.finished_at,
        "measures": measure_names(collection.relevant_from),
        "usual_measure": usual_measure(collection),
        "systems": collection.systems.count(),
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
    return render(request, "release/changes.html", context)


def _address(path: str, since: str, chosen: dict[str, str | None]) -> str:
    others = {name: value for name, value in chosen.items() if value}
    return f"{path}?{urlencode({'since': since, **others})}"


def _versions(
    collection: Collection, version: str, since: str
) -> tuple[Release, Release | None, list[str]]:
    """The version, the one to compare with (the one before it by default), and all earlier ones."""
    releases = collection.releases.select_related("collection")
    after = get_object_or_404(releases, version=version)
    rows = earlier_versions(after)
    earlier = list(rows.values_list("version", flat=True))
    chosen = since if since in earlier else next(iter(earlier), None)
    before = chosen and rows.select_related("collection").get(version=chosen)
    return after, before or None, earlier


@in_collection(Role.ADMIN)
@require_POST
def rank_systems(request: HttpRequest, collection: Collection, version: str) -> HttpResponse:
    after, before, _ = _versions(collection, version, request.POST.get("since", ""))
    address = reverse("release-changes", args=[collection.slug, version])
    if before is None:
        messages.error(request, "There is no earlier version to compare with.")
        return redirect(address)
    try:
        request_rankings(
            before=before,
            after=after,
            measure=request.POST.get("measure", ""),
            requested_by=person_of(request),
        )
    except BadMeasure as error:
        messages.error(request, str(error))
    else:
        messages.info(request, f"Ranking the systems under {before.version} and {version}.")
    return redirect(f"{address}?{urlencode({'since': before.version})}#rankings")
