"""The pages of public releases, which need no account.

A version that is not public and one that does not exist give the same 404.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from bundle.citation_page import Addresses, PublicPage
from publishing.download_limit import is_within, too_many
from release.errata.listing import known_errors
from release.errors import ReleaseDamaged
from release.files import open_release
from release.models import PublicPeriod
from release.versions.listing import newest_page
from web.requests.file_ranges import send_file
from web.requests.privacy import allow_search_engines
from web.requests.refusals import refuse

SHOWN_VERSIONS = 20

View = Callable[[HttpRequest, PublicPeriod], HttpResponseBase]


def public_release(view: View) -> Callable[[HttpRequest, str, str], HttpResponseBase]:
    """Decorate a view of a public release: it gets the period, or the answer is 404.

    The lookup comes before the check of the method, which would tell that the release exists.
    """

    @login_not_required
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
        periods = PublicPeriod.objects.current().for_pages()
        period = get_object_or_404(
            periods, release__collection__slug=slug, release__version=version
        )
        return view(request, period)

    return wrapped


@login_not_required
@require_safe
def public_releases(request: HttpRequest) -> HttpResponse:
    page = newest_page(PublicPeriod.objects.current().for_pages(), request.GET)
    return allow_search_engines(render(request, "release/public_releases.html", {"page": page}))


@public_release
@require_safe
def public_page(request: HttpRequest, period: PublicPeriod) -> HttpResponse:
    release, page = period.release, page_of_period(request, period)
    others = PublicPeriod.objects.current().for_pages().exclude(pk=period.pk)
    context = {
        "release": release,
        "page": page,
        "content": period.page,
        "linked_data": page.linked_data(settings.SERVER_NAME),
        "errors": known_errors(release),
        "report_url": ""
        if release.collection.is_archived
        else reverse("report-public-erratum", args=[release.collection.slug, release.version]),
        "others": others.filter(release__collection=release.collection_id)[:SHOWN_VERSIONS],
    }
    return allow_search_engines(render(request, "release/public_release.html", context))


def page_of_period(request: HttpRequest, period: PublicPeriod) -> PublicPage:
    release = period.release
    place = [release.collection.slug, release.version]
    return PublicPage(
        content=period.page,
        slug=release.collection.slug,
        version=release.version,
        published_on=release.published_at.date(),
        sha256=release.sha256,
        size=release.size,
        addresses=Addresses(
            page=request.build_absolute_uri(reverse("public-release", args=place)),
            zip=request.build_absolute_uri(reverse("public-release-download", args=place)),
            catalogue=request.build_absolute_uri(reverse("public-releases")),
        ),
    )


@public_release
@require_safe
def public_download(request: HttpRequest, period: PublicPeriod) -> HttpResponseBase:
    """The zip. Caches may store it, but must ask each time whether it is still public."""
    release = period.release
    etag = f'"{release.sha256}"'
    response = get_conditional_response(request, etag=etag) or _file_of(request, period, etag)
    if response.status_code in {200, 206, 304}:
        response.headers["ETag"] = etag
        patch_cache_control(response, public=True, no_cache=True)
    return response


def _file_of(request: HttpRequest, period: PublicPeriod, etag: str) -> HttpResponseBase:
    release = period.release
    # Every download reads the whole file to compare its checksum.
    if not is_within("download", request, settings.DOWNLOADS_PER_ADDRESS):
        return too_many(request, "downloads")
    try:
        file = open_release(release)
    except ReleaseDamaged:
        message = "The file of this release is missing or damaged on the server."
        return refuse(request, 503, "release_damaged", message)
    name = f"{release.collection.slug}-{release.version}.zip"
    return send_file(request, file, name=name, content_type="application/zip", etag=etag)
