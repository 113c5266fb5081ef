"""The page about pools, with what the judgments say of the retrievers that drew them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from adjudication.yield_reports import JOB_KIND, shown_yields
from pooling.views import pools_page


@in_collection(Role.ADMIN)
@require_safe
def pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    return pools_page(request, collection, job_kinds=[JOB_KIND], yields=shown_yields(collection))
