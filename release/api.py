"""Releases in the API: ask for one, look at it, download its zip."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.locking import check_not_archived
from accounts.models import Collection
from bundle.findings import Finding
from bundle.options import LabelSource, ReleaseOptions, Texts
from jobs.api import Busy, JobAnswer, accepted
from release.errors import GateClosed
from release.files import open_release
from release.gate.acceptance import LONGEST_REASON
from release.gate.checks import blocking_findings
from release.models import Release
from release.services import check_request, check_version, find_faults, request_release
from release.snapshot.documents import count_documents
from release.snapshot.model_labels import check_models
from web.api.serializers import DryRun, found
from web.requests.file_ranges import send_file


class ReleaseLine(serializers.Serializer[Release]):
    version = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes of the zip.")
    published_at = serializers.DateTimeField()


class ReleaseAnswer(ReleaseLine):
    manifest = serializers.DictField()


class NewRelease(DryRun):
    version = serializers.CharField(max_length=40)
    accept = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_REASON),
        default={},
        help_text="Checks of the gate whose findings are published against, each with the reason, "
        'as in {"unopened-queries": "They follow in 2.0."}. The release states the reasons.',
    )
    texts = serializers.ChoiceField(
        choices=[texts.value for texts in Texts],
        default=Texts.POOLED.value,
        help_text="Titles and abstracts of the query papers and candidates (pooled), of the whole "
        "corpus (corpus), or of no document (none: ids only).",
    )
    labels = serializers.ChoiceField(
        choices=[source.value for source in LabelSource],
        default=LabelSource.JUDGED.value,
        help_text="The final labels (judged), or what the query papers cite (citations).",
    )
    model_labels = serializers.ListField(
        child=serializers.CharField(max_length=60),
        default=list,
        help_text="Shadow judges whose labels are in a folder of their own.",
    )


class FindingAnswer(serializers.Serializer[Finding]):
    check = serializers.CharField()
    ok = serializers.BooleanField()
    message = serializers.CharField()
    count = serializers.IntegerField(help_text="Problems that the check found.")
    items = serializers.ListField(child=serializers.CharField(), help_text="The first problems.")
    how_to_fix = serializers.CharField()
    can_accept = serializers.BooleanField()


class ReleasePreview(serializers.Serializer[Any]):
    """The result that publishing would have now. Nothing was published."""

    version = serializers.CharField()
    would_publish = serializers.BooleanField(help_text="Whether no finding is `blocking`.")
    blocking = serializers.ListField(
        child=serializers.CharField(),
        help_text="Checks whose findings must be fixed first, or accepted with a reason.",
    )
    findings = FindingAnswer(many=True, help_text="Every check, in order or not.")
    documents = serializers.IntegerField(help_text="Documents in the release.")


def published(collection: Collection, version: str) -> Release:
    """The release of that version. Raises BadVersion, or Http404 if it is not published."""
    check_version(version)
    return found(collection.releases.all(), version=version)


class Releases(CollectionView):
    @extend_schema(summary="Releases, the newest first", responses=ReleaseLine(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.collection.releases.defer("manifest"), ReleaseLine)

    @extend_schema(
        summary="Publish a version",
        description="409 with `gate_closed` and `findings` when a finding must be fixed first, "
        "or accepted with a reason. Nothing was published then. A release cannot be removed. With "
        "`dry_run`, 200 with every finding, also with those that stop the release.",
        request=NewRelease,
        responses={200: ReleasePreview, 202: JobAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        asked = self.parsed(NewRelease)
        options = ReleaseOptions.from_json(asked)
        wanted = {"collection": self.collection, "version": asked["version"]}
        accept = check_request(**wanted, accept=asked["accept"])
        check_models(self.collection, options)
        # The job checks again. The check here tells a script at once, and as data.
        findings = find_faults(collection=self.collection, options=options)
        blocking = blocking_findings(findings, accept)
        if asked["dry_run"]:
            check_not_archived(self.collection)
            preview = {
                "version": asked["version"],
                "would_publish": not blocking,
                "blocking": [finding.check for finding in blocking],
                "findings": findings,
                "documents": count_documents(self.collection, options.texts),
            }
            return Response(ReleasePreview(preview).data)
        if blocking:
            raise GateClosed(blocking)
        job = request_release(**wanted, accept=accept, options=options, requested_by=self.person)
        same = {"version": asked["version"], "accept": accept, "options": options.as_json()}
        if any(job.parameters[name] != value for name, value in same.items()):
            raise Busy
        return accepted(job)


class ReleaseDetail(CollectionView):
    @extend_schema(summary="One release with its manifest", responses=ReleaseAnswer)
    def get(self, request: Request, slug: str, version: str) -> Response:
        return Response(ReleaseAnswer(published(self.collection, version)).data)


class BundleFile(CollectionView):
    @extend_schema(
        operation_id="collections_releases_bundle",
        summary="The zip of a release",
        description="Its checksum is compared before it is sent; the ETag is its SHA-256. `Range` "
        "gives the part that an interrupted download lacks.",
        responses={
            (200, "application/zip"): OpenApiTypes.BINARY,
            (206, "application/zip"): OpenApiTypes.BINARY,
            304: None,
        },
    )
    def get(self, request: Request, slug: str, version: str) -> HttpResponseBase:
        release = published(self.collection, version)
        etag = f'"{release.sha256}"'
        not_modified = get_conditional_response(request, etag=etag)
        if not_modified is not None:
            return not_modified
        name = f"{self.collection.slug}-{release.version}.zip"
        return send_file(
            request, open_release(release), name=name, content_type="application/zip", etag=etag
        )
