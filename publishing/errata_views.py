"""The form with which readers of a public version report an error. It needs no account."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.locking import CollectionArchived
from accounts.login.limits import client_address
from publishing.download_limit import is_within, too_many
from publishing.views import public_release
from release.errata.errors import ErratumError
from release.errata.forms import ReportForm
from release.errata.services import report_erratum
from release.errata.views import say_why
from release.models import PublicPeriod
from web.requests.refusals import refuse


@public_release
@require_http_methods(["GET", "HEAD", "POST"])
def report_public_erratum(request: HttpRequest, period: PublicPeriod) -> HttpResponseBase:
    release = period.release
    if release.collection.is_archived:
        return refuse(request, 409, "collection_archived", _archived(release.version))
    form = ReportForm(request.POST if request.method == "POST" else None)
    context = {"release": release, "content": period.page, "form": form}
    status = 422 if form.errors else 200
    if form.is_bound and form.is_valid():
        if not is_within("erratum", request, settings.ERRATA_PER_ADDRESS):
            return too_many(request, "reports")
        try:
            report_erratum(
                release=release,
                address=client_address(request),
                must_be_public=True,
                **form.cleaned_data,
            )
        except CollectionArchived:
            return refuse(request, 409, "collection_archived", _archived(release.version))
        except ErratumError as error:
            status = say_why(form, error)
        else:
            messages.success(request, "Thank you. Your report was sent to the publisher.")
            return redirect("public-release", release.collection.slug, release.version)
    return render(request, "release/public_erratum.html", context, status=status)


def _archived(version: str) -> str:
    return f"The collection of version {version} is archived and takes no reports any more."
