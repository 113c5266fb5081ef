"""The docs as pages, for everybody with or without an account."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from dashboard.help.pages import DOCS
from dashboard.help.rendering import INDEX, names_of_pages, rendered_page


@login_not_required
@require_safe
def help_page(request: HttpRequest, page: str = INDEX) -> HttpResponse:
    if page not in names_of_pages(DOCS):
        raise Http404(f"no page {page!r} in the docs")
    shown = rendered_page(DOCS, page, reverse("help-index"))
    context = {
        "page": shown,
        "html": mark_safe(shown.html),  # of our own files, and HTML in them is escaped
        "is_index": page == INDEX,
    }
    return render(request, "dashboard/help.html", context)


@login_not_required
@require_safe
@cache_control(max_age=3600)
def help_picture(request: HttpRequest, picture: str) -> FileResponse:
    path = DOCS / "pictures" / f"{picture}.png"
    if not path.is_file():
        raise Http404(f"no picture {picture!r} in the docs")
    return FileResponse(path.open("rb"))
