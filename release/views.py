"""The admin's pages about releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role, User
from bundle.citation_page import has_citation_labels
from bundle.errors import ReleaseError
from bundle.file_tree import file_tree
from bundle.findings import AcceptedFinding, Finding
from bundle.layouts import changelog, datasheet
from bundle.loading import Loading
from bundle.names import README
from bundle.readme.exceptions import describe_exception
from jobs.listing import jobs_to_show
from pooling.models import Pool
from release import services
from release.errata.listing import known_errors
from release.errors import BadVersion, CannotKeep, ReleaseDamaged
from release.files import open_release
from release.forms import (
    LABELS,
    PreviousChoices,
    PublishForm,
    next_version,
    options_of,
    reason_name,
)
from release.gate.checks import CHECKS
from release.markdown_preview import preview_of
from release.models import PublicPeriod, Release
from release.publicity import make_private, make_public
from release.snapshot.documents import count_documents
from release.snapshot.pools import sampled_builds
from release.versions.changes import earlier_versions
from release.versions.listing import newest_page
from release.versions.published_files import Unreadable, read_member
from web.requests.answers import answers
from web.requests.file_ranges import send_file
from web.tables.paging import Page

PREVIEWED = (README, datasheet.NAME, changelog.NAME)
LARGEST_PREVIEW = 500_000  # bytes


@in_collection(Role.ADMIN)
@require_safe
def releases(request: HttpRequest, collection: Collection) -> HttpResponse:
    previous = PreviousChoices.of(collection)
    form = PublishForm(
        collection=collection,
        findings=services.find_faults(collection=collection, options=previous.options),
        previous=previous,
        initial={"version": next_version(previous.version)},
    )
    return _releases_page(request, collection, form.findings, form)


def _releases_page(
    request: HttpRequest,
    collection: Collection,
    findings: Sequence[Finding],
    form: PublishForm,
    *,
    refused: int = 422,
) -> HttpResponse:
    context = {
        "collection": collection,
        "gate": [
            (
                found,
                *CHECKS[found.check].fixed_on,
                form[name] if (name := reason_name(found.check)) in form.fields else None,
            )
            for found in findings
        ],
        "faults": [found for found in findings if not found.ok],
        "blocked": [found for found in findings if not found.ok and not found.can_accept],
        "accepted": form.accepted(),
        "blocking": form.blocking(),
        "form": form,
        "page": _listed(request, collection),
        "jobs": jobs_to_show(collection, [services.JOB_KIND]),
        "sampled": _sampled(collection),
    }
    status = refused if form.errors else 200
    return render(request, "release/releases.html", context, status=status)


def _listed(request: HttpRequest, collection: Collection) -> Page[Release]:
    """A page of the versions, the newest first, without their manifests, which are long."""
    rows = collection.releases.defer("manifest").select_related("published_by")
    current = PublicPeriod.objects.current().filter(release=OuterRef("pk"))
    return newest_page(rows.annotate(is_public=Exists(current)), request.GET)


def _sampled(collection: Collection) -> int:
    """The number of frozen pools that are samples, which every release of them must state."""
    return Pool.objects.frozen().filter(build__in=sampled_builds(collection)).count()


@in_collection(Role.ADMIN)
@require_POST
def publish(request: HttpRequest, collection: Collection) -> HttpResponse:
    options = options_of(request.POST)
    findings = services.find_faults(collection=collection, options=options)
    form = PublishForm(request.POST, collection=collection, findings=findings)
    if not form.is_valid():
        return _releases_page(request, collection, findings, form)
    version = form.cleaned_data["version"]
    if "confirmed" not in request.POST:
        accepted = form.accepted()
        context = {
            "collection": collection,
            "version": version,
            "documents": count_documents(collection, options.texts),
            "contents": next(found for found in findings if found.check == "corpus-licence"),
            "labels": dict(LABELS)[options.labels.value],
            "accepted": [
                (found, accepted[found.check]) for found in findings if found.check in accepted
            ],
            "kept": answers(request),
            "sampled": _sampled(collection),
        }
        return render(request, "release/confirm_publish.html", context)
    try:
        services.request_release(
            collection=collection,
            version=version,
            accept=form.accepted(),
            options=options,
            requested_by=person_of(request),
        )
    except ReleaseError as error:
        form.add_error("version", str(error))
        refused = 507 if isinstance(error, CannotKeep) else 422
        return _releases_page(request, collection, findings, form, refused=refused)
    messages.info(request, f"Publishing version {version}.")
    return redirect("releases", collection.slug)


def _published(collection: Collection, version: str) -> Release:
    """The release of that version; 404 if it is not published, 400 if it can never be."""
    try:
        services.check_version(version)
    except BadVersion as error:
        raise BadRequest(str(error)) from error
    return get_object_or_404(
        collection.releases.select_related("published_by", "collection"), version=version
    )


@in_collection(Role.ADMIN)
@require_safe
def release(request: HttpRequest, collection: Collection, version: str) -> HttpResponse:
    found = _published(collection, version)
    files = found.manifest["files"]
    context = {
        "collection": collection,
        "release": found,
        "of_citations": has_citation_labels(found.manifest),
        "previews": [*_previews(found)],
        "facets": list(found.manifest["counts"]["facets"].items()),
        "relevant_from": found.manifest["collection"].get("relevant_from"),
        "tree": file_tree(files),
        "loading": Loading(
            folder=f"{collection.slug}-{found.version}",
            files=files,
            relevant_from=found.manifest["collection"].get("relevant_from"),
            is_sample=found.manifest.get("sample") is not None,
        ),
        "periods": list(found.public_periods.select_related("began_by", "ended_by").defer("page")),
        "errors": known_errors(found),
        "report_url": ""
        if collection.is_archived
        else reverse("report-erratum", args=[collection.slug, version]),
        "exceptions": _exceptions(found),
        "earlier": list(earlier_versions(found).values_list("version", flat=True)),
    }
    return render(request, "release/release.html", context)


def _exceptions(release: Release) -> list[tuple[str, AcceptedFinding, User | None]]:
    """Each accepted exception: a sentence, the finding, and who accepted it."""
    rows = release.exceptions.select_related("accepted_by")
    people = {row.check_name: row.accepted_by for row in rows}
    return [
        (describe_exception(finding), finding, people.get(finding.check))
        for finding in (AcceptedFinding(**entry) for entry in release.manifest["accepted"])
    ]


def _previews(release: Release) -> Iterator[tuple[str, SafeString]]:
    """The Markdown files of the bundle that a page can show, by name."""
    for name in PREVIEWED:
        file = release.manifest["files"].get(name)
        if file and file["bytes"] < LARGEST_PREVIEW:
            with suppress(Unreadable):
                yield name, preview_of(read_member(release, name).decode())


@in_collection(Role.ADMIN)
@require_safe
def release_download(
    request: HttpRequest, collection: Collection, version: str
) -> HttpResponseBase:
    found = _published(collection, version)
    etag = f'"{found.sha256}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    try:
        file = open_release(found)
    except ReleaseDamaged as error:
        return _damaged(request, found, error)
    name = f"{collection.slug}-{found.version}.zip"
    return send_file(request, file, name=name, content_type="application/zip", etag=etag)


def _damaged(request: HttpRequest, release: Release, error: ReleaseDamaged) -> HttpResponse:
    context = {"collection": release.collection, "release": release, "error": str(error)}
    return render(request, "release/damaged.html", context, status=500)


@in_collection(Role.ADMIN)
@require_POST
def make_release_public(request: HttpRequest, collection: Collection, version: str) -> HttpResponse:
    found = _published(collection, version)
    if "confirmed" not in request.POST:
        return render(request, "release/confirm_public.html", {"release": found})
    try:
        make_public(release=found, person=person_of(request))
    except ReleaseDamaged as error:
        return _damaged(request, found, error)
    messages.success(request, f"Version {version} is public.")
    return redirect("release", collection.slug, version)


@in_collection(Role.ADMIN)
@require_POST
def make_release_private(
    request: HttpRequest, collection: Collection, version: str
) -> HttpResponse:
    found = _published(collection, version)
    if "confirmed" not in request.POST:
        return render(request, "release/confirm_private.html", {"release": found})
    make_private(release=found, person=person_of(request))
    messages.success(request, f"Version {version} is no longer public.")
    return redirect("release", collection.slug, version)
