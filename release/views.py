"""The admin's pages about releases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role, User
from bundle.citation_page import has_citation_labels
from bundle.errors import ReleaseError
from bundle.file_tree import file_tree
from bundle.findings import AcceptedFinding
from bundle.layouts import changelog, datasheet
from bundle.loading import Loading
from bundle.names import README
from bundle.readme.exceptions import describe_exception
from jobs.listing import jobs_to_show
from pooling.models import Pool
from release import services
from release.datasheets.current import progress_of
from release.errata.forms import DeclineForm
from release.errata.listing import ERRATA, errata_part, errata_to_show, known_errors
from release.errors import BadVersion, CannotKeep, ReleaseDamaged
from release.files import open_release
from release.forms import (
    LABELS,
    PreviousChoices,
    PublishForm,
    next_version,
    options_of,
)
from release.gate.shown_findings import shown_findings
from release.gate.stored_reports import RECOMPUTING, old_reports, request_old_reports
from release.markdown_preview import preview_of
from release.models import PublicPeriod, Release
from release.publicity import make_private, make_public
from release.snapshot.documents import count_documents
from release.snapshot.pools import sampled_builds
from release.versions.changes import earlier_versions
from release.versions.listing import VERSIONS, newest_page
from release.versions.published_files import Unreadable, read_member
from web.requests.answers import answers
from web.requests.file_ranges import send_file
from web.tables.columns import csv_file, wants_csv
from web.tables.paging import Page
from web.words import count_noun

PREVIEWED = (README, datasheet.NAME, changelog.NAME)
LARGEST_PREVIEW = 500_000  # bytes
JOBS_OF_PAGE = (services.JOB_KIND, *RECOMPUTING)
CSV_CHUNK = 500  # rows that are read together


@in_collection(Role.ADMIN)
@require_safe
def releases(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    if wants_csv(request):
        return _list_as_csv(request, collection)
    return releases_page(request, collection)


def releases_page(
    request: HttpRequest,
    collection: Collection,
    form: PublishForm | None = None,
    *,
    declining: DeclineForm | None = None,
    refused: int = 422,
) -> HttpResponse:
    """The page, with a form that was sent and refused: one to publish, or one to decline errata."""
    if form is None:
        previous = PreviousChoices.of(collection)
        form = PublishForm(
            collection=collection,
            gate=services.ask_gate(collection=collection, options=previous.options),
            previous=previous,
            initial={"version": next_version(previous.version)},
        )
    shown = list(shown_findings(collection, form.findings, form))
    context = {
        "collection": collection,
        # Those that only a change of the collection can fix come first.
        "faults": sorted(shown, key=lambda fault: fault.finding.can_accept),
        "passed": [found for found in form.findings if found.ok],
        "blocked": [fault for fault in shown if not fault.finding.can_accept],
        "accepted": form.accepted(),
        "blocking": form.blocking(),
        "old_reports": [report for report in form.old_reports if report.stops_release],
        "reports_of_other_runs": [
            report for report in form.old_reports if not report.stops_release
        ],
        "form": form,
        "datasheet": progress_of(collection),
        "page": _listed(request, collection),
        "errata": errata_part(collection, request, declining),
        "jobs": jobs_to_show(collection, JOBS_OF_PAGE),
        "sampled": _sampled(collection),
    }
    status = refused if form.errors or declining else 200
    return render(request, "release/releases.html", context, status=status)


def _list_as_csv(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    if request.GET.get("list") == "errata":
        rows = errata_to_show(collection, request).iterator(chunk_size=CSV_CHUNK)
        return csv_file(f"{collection.slug}-errata", ERRATA.shown(request), rows)
    versions = collection.releases.defer("manifest").select_related("published_by")
    return csv_file(f"{collection.slug}-versions", VERSIONS.shown(request), versions.iterator())


def _listed(request: HttpRequest, collection: Collection) -> Page[Release]:
    """A page of the versions, the newest first, without their manifests, which are long."""
    rows = collection.releases.defer("manifest").select_related("published_by")
    current = PublicPeriod.objects.current().filter(release=OuterRef("pk"))
    return newest_page(rows.annotate(is_public=Exists(current)), request.GET)


@in_collection(Role.ADMIN)
@require_POST
def recompute_reports(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Compute again the reports that stop a release, or those that only have other runs."""
    stops = request.POST.get("which") != "other-runs"
    reports = [report for report in old_reports(collection) if report.stops_release == stops]
    request_old_reports(reports, collection=collection, requested_by=person_of(request))
    count = count_noun(len(reports), "report", "reports")
    messages.info(request, f"Computing {count}." if reports else "No report is out of date.")
    return redirect("releases", collection.slug)


def _sampled(collection: Collection) -> int:
    """The number of frozen pools that are samples, which every release of them must state."""
    return Pool.objects.frozen().filter(build__in=sampled_builds(collection)).count()


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, collection: Collection) -> HttpResponse:
    if request.method != "POST":  # a reload of the page that a refused form gave
        return redirect("releases", collection.slug)
    options = options_of(request.POST)
    gate = services.ask_gate(collection=collection, options=options)
    form = PublishForm(request.POST, collection=collection, gate=gate)
    if not form.is_valid():
        return releases_page(request, collection, form)
    version = form.cleaned_data["version"]
    if "confirmed" not in request.POST:
        accepted = form.accepted()
        context = {
            "collection": collection,
            "version": version,
            "documents": count_documents(collection, options.texts),
            "contents": next(found for found in form.findings if found.check == "corpus-licence"),
            "labels": dict(LABELS)[options.labels.value],
            "models": options.model_labels,
            "accepted": [
                (found, accepted[found.check]) for found in form.findings if found.check in accepted
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
        return releases_page(request, collection, form, refused=refused)
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
