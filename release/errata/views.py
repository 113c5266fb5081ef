"""The admin's pages of single errata, and the form of a version that is not public."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role, User
from annotation.models import LONGEST_REASON
from release.errata.errors import AlreadySettled, ErratumError, NotInVersion
from release.errata.forms import DeclineForm, ReportForm, SettleForm
from release.errata.listing import errata_to_show, wanted_errata
from release.errata.models import Erratum
from release.errata.services import decline_errata, report_erratum, settle_erratum
from release.views import releases_page
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def errata(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Decline reports of the part *Errata* of the page *Release*, which shows a refused form."""
    if request.method != "POST":
        return redirect(_list_of(collection, request.GET))
    page = numbered_page(errata_to_show(collection, request), request)
    form = DeclineForm(request.POST, shown=[row.pk for row in page.rows if row.is_open])
    if form.is_valid():
        try:
            count = _decline(
                collection, form.cleaned_data, wanted_errata(request), person_of(request)
            )
        except ErratumError as error:
            form.add_error("answer", str(error))
        else:
            reports = "report" if count == 1 else "reports"
            messages.success(request, f"{count:,} {reports} declined.")
            return redirect(_list_of(collection))
    return releases_page(request, collection, declining=form)


def _list_of(collection: Collection, parameters: QueryDict | None = None) -> str:
    """The address of the list, with the parameters that filter and page it."""
    page = reverse("releases", args=[collection.slug])
    return f"{page}{f'?{parameters.urlencode()}' if parameters else ''}#errata"


def _decline(
    collection: Collection, asked: dict[str, Any], wanted: dict[str, str], person: User
) -> int:
    which = {"up_to": asked["up_to"], **wanted} if asked["everything"] else {"ids": asked["ids"]}
    return decline_errata(collection=collection, answer=asked["answer"], settled_by=person, **which)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def erratum(request: HttpRequest, collection: Collection, erratum_id: int) -> HttpResponse:
    rows = Erratum.objects.of(collection).select_related("release", "reported_by", "settled_by")
    found = get_object_or_404(rows.defer("release__manifest"), pk=erratum_id)
    form = SettleForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound and form.is_valid():
        try:
            settle_erratum(erratum=found, settled_by=person_of(request), **form.cleaned_data)
        except AlreadySettled as error:
            messages.error(request, str(error))
            return redirect("erratum", collection.slug, erratum_id)
        except ErratumError as error:
            form.add_error("answer", str(error))
        else:
            messages.success(request, f"Report {found} is answered.")
            return redirect(_list_of(collection))
    if form.errors:
        status = 422
    context = {
        "collection": collection,
        "erratum": found,
        "form": form,
        "again": _again(found),
    }
    return render(request, "release/erratum.html", context, status=status)


def _again(erratum: Erratum) -> QueryDict:
    """The first values of the page that has a pair decided again."""
    again = QueryDict(mutable=True)
    reason = f"Report {erratum}: {erratum.answer}"[:LONGEST_REASON]
    again.update({"query": erratum.query, "docno": erratum.docno, "reason": reason})
    return again


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, collection: Collection, version: str) -> HttpResponse:
    """For admins only: an id that is accepted tells what is in the pools."""
    release = get_object_or_404(collection.releases.all(), version=version)
    form = ReportForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound and form.is_valid():
        try:
            row = report_erratum(
                release=release, reported_by=person_of(request), **form.cleaned_data
            )
        except ErratumError as error:
            status = say_why(form, error)
        else:
            messages.success(request, f"Report {row} was saved.")
            return redirect(_list_of(collection))
    elif form.errors:
        status = 422
    context = {"collection": collection, "release": release, "form": form}
    return render(request, "release/report_erratum.html", context, status=status)


def say_why(form: ReportForm, error: ErratumError) -> int:
    """Put the error beside its field, and return the status of the answer."""
    form.add_error(error.field if isinstance(error, NotInVersion) else None, str(error))
    return 422 if error.status == 400 else error.status
