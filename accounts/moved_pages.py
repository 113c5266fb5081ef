"""Addresses of pages that became a part of another page, so that links to them still work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection


def moved_page(
    url_name: str,
    *roles: str,
    anchor: str = "",
    renamed: Mapping[str, str] | None = None,
    **choices: str,
) -> Callable[..., Any]:
    """A view for an old address: it redirects these roles to the page `url_name`.

    What the old address names and its parameters stay. `renamed` are the new names of parameters,
    by the old ones. `choices` are parameters that make the page show what the old one showed, and
    `anchor` is the id of its part.
    """

    @in_collection(*roles)
    @require_safe
    def moved(
        request: HttpRequest, collection: Collection, **names: Any
    ) -> HttpResponsePermanentRedirect:
        parameters = request.GET.copy()
        for old, new in (renamed or {}).items():
            if old in parameters:
                parameters.setlistdefault(new, parameters.pop(old))
        for name, value in choices.items():
            parameters.setdefault(name, value)
        address = reverse(url_name, kwargs={"slug": collection.slug, **names})
        query = f"?{parameters.urlencode()}" if parameters else ""
        return HttpResponsePermanentRedirect(f"{address}{query}{f'#{anchor}' if anchor else ''}")

    return moved
