"""The errata as the pages of a version and of the releases show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max, Q
from django.http import HttpRequest

from accounts.models import Collection
from release.errata.forms import DeclineForm
from release.errata.models import Erratum, ErratumQuerySet, ErratumState
from release.models import Release
from web.tables.cells import numbered_page
from web.tables.columns import Column, Table

MOST_SHOWN = 100
ERRATA: Table[Erratum] = Table(
    "errata",
    [
        Column("report", "Report", {"report": str}),
        Column("query", "Query", {"query": lambda row: row.query}),
        Column("docno", "Document", {"docno": lambda row: row.docno}),
        Column("problem", "What is wrong", {"problem": lambda row: row.problem}),
        Column("network", "Network", {"network": lambda row: row.network}),
        Column("state", "State", {"state": lambda row: row.state}),
        Column("reported", "Reported", {"reported_at": lambda row: row.reported_at.isoformat()}),
        Column("answer", "Public answer", {"answer": lambda row: row.answer}),
    ],
)


def known_errors(release: Release) -> list[Erratum]:
    """The accepted reports about a version, the newest first."""
    accepted = release.errata.filter(state=ErratumState.ACCEPTED)
    return list(accepted.defer("problem", "email").order_by("-settled_at", "-pk")[:MOST_SHOWN])


def wanted_errata(request: HttpRequest) -> dict[str, str]:
    """The version, network and words that the address asks for, as `matching` takes them."""
    return {name: request.GET.get(name, "") for name in ("version", "network", "words")}


def errata_to_show(collection: Collection, request: HttpRequest) -> ErratumQuerySet:
    """The reports that the filters in the address leave, open ones first."""
    rows = Erratum.objects.of(collection).matching(**wanted_errata(request))
    state = request.GET.get("state", "")
    if state in ErratumState.values:
        rows = rows.filter(state=state)
    return rows.in_order().select_related("release", "reported_by").defer("release__manifest")


def errata_part(
    collection: Collection, request: HttpRequest, form: DeclineForm | None = None
) -> Mapping[str, Any]:
    """The context of the part *Errata* of the page *Release*; `form` if it was sent and refused."""
    every = Erratum.objects.of(collection)
    counts = every.order_by().aggregate(
        **{state.value: Count("pk", filter=Q(state=state)) for state in ErratumState}
    )
    wanted = wanted_errata(request)
    total = sum(counts.values())
    part = {**wanted, "counts": counts, "total": total, "state": request.GET.get("state", "")}
    if not total:
        return part
    page = numbered_page(errata_to_show(collection, request), request, anchor="#errata")
    waiting = (
        every.matching(**wanted).open().order_by().aggregate(count=Count("pk"), last=Max("pk"))
    )
    return {
        **part,
        "page": page,
        "states": ErratumState.choices,
        "versions": list(collection.releases.values_list("version", flat=True)),
        "waiting": waiting["count"],
        "can_decline": bool(waiting["count"]) and not collection.is_archived,
        "form": form or DeclineForm(initial={"up_to": waiting["last"] or 0}, shown=[]),
        "ticked": request.POST.getlist("ids"),
    }
