"""What everybody may see without logging in: the versions that an admin made public, as they were published."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.core.files.storage import FileSystemStorage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_list_or_404, get_object_or_404, render
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from release.models import Release
from web.errors import NotFound


@require_safe
@login_not_required
def public_releases(request: HttpRequest, slug: str) -> HttpResponse:
    versions = get_list_or_404(Release, is_public=True, collection__slug=slug)
    return render(request, "release/public_releases.html", {"slug": slug, "versions": versions})


@require_safe
@login_not_required
def public_version(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Everything on it is of the file: today's name or description may not be meant for the public."""
    release = get_object_or_404(Release, is_public=True, collection__slug=slug, version=version)
    _, _, readme = release.read("README.md").partition("\n# ")  # before it is what the Hugging Face Hub reads
    about, _, cite = readme.partition("\n")[2].partition("\n## Cite\n")
    context = {"slug": slug, "release": release, "manifest": release.manifest, "about": about, "cite": cite}
    return render(request, "release/public_version.html", context)


@require_safe
@login_not_required
@cache_control(no_cache=True)
def public_file(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """A proxy may keep it, but has to ask each time: an admin can take a version back."""
    return file_response(request, get_object_or_404(Release, is_public=True, collection__slug=slug, version=version))


def file_response(request: HttpRequest, release: Release) -> HttpResponse:
    """The zip; of a file on this disk also a part: WhiteNoise can do that, and Django's FileResponse cannot."""
    etag = f'"{release.sha256}"'
    headers = [
        ("Content-Type", "application/zip"),
        ("Content-Disposition", f'attachment; filename="{release.file_name}"'),
        ("Accept-Ranges", "bytes"),
        ("ETag", etag),
    ]
    if answer := get_conditional_response(request, etag=etag):
        return answer
    try:
        if isinstance(release.file.storage, FileSystemStorage):
            return WhiteNoiseMiddleware.serve(StaticFile(release.file.path, headers), request)
        response = FileResponse(release.file.open("rb"), as_attachment=True, filename=release.file_name)
    except Exception as error:  # each storage has its own errors
        raise NotFound(release.unreadable) from error
    response["ETag"] = etag
    return response  # type: ignore[return-value]
