"""The page about pools, with what the judgments say of the retrievers that drew them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from planning.yields.report import YieldReport, shown_yields
from pooling.views import pools_file, pools_page
from web.tables.columns import wants_csv


@in_collection(Role.ADMIN, owner_annotators_to="set-up")
@require_safe
def pools(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    if wants_csv(request):
        return pools_file(request, collection)
    return pools_page(
        request, collection, job_kinds=[YieldReport.name], yields=shown_yields(collection)
    )
