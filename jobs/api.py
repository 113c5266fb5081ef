"""Jobs in the API. A request for long work gets 202 and a job, which the client then polls."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.models import OWNERS
from jobs import registry
from jobs.models import Job, State
from jobs.owners import told, visible_jobs
from jobs.services import request_cancel
from web.api.serializers import found


class Busy(APIException):
    """A job of this kind with other parameters is live, so the requested one was not queued."""

    status_code = 409
    default_detail = (
        "A job of this kind with other parameters is in progress. Wait for it, then try again."
    )
    default_code = "busy"


class JobAnswer(serializers.Serializer[Job]):
    """A job. Poll it until `state` is `succeeded`, `failed` or `cancelled`."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    title = serializers.SerializerMethodField()
    state = serializers.ChoiceField(State.choices)
    progress_done = serializers.IntegerField()
    progress_total = serializers.IntegerField(allow_null=True)
    progress_note = serializers.CharField()
    result = serializers.DictField(allow_null=True)
    error = serializers.CharField()
    cancel_requested = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_title(self, job: Job) -> str:
        return registry.kind(job.kind).title

    def to_representation(self, job: Job) -> Any:
        return super().to_representation(told(job))


def accepted(job: Job) -> Response:
    """202 with the job, and its address in `Location`."""
    url = reverse("api-job", args=[job.collection.slug, job.pk])
    return Response(JobAnswer(job).data, status=202, headers={"Location": url})


class Jobs(CollectionView):
    roles = OWNERS

    @extend_schema(summary="Jobs, the newest first", responses=JobAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(visible_jobs(self.collection, self.person), JobAnswer)


class JobDetail(CollectionView):
    roles = OWNERS

    @extend_schema(summary="State and progress of a job", responses=JobAnswer)
    def get(self, request: Request, slug: str, job_id: uuid.UUID) -> Response:
        return Response(
            JobAnswer(found(visible_jobs(self.collection, self.person), pk=job_id)).data
        )


class CancelJob(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="Cancel a job",
        description="A queued job is cancelled at once, a running job at its next step. A "
        "finished job stays as it is.",
        request=None,
        responses=JobAnswer,
    )
    def post(self, request: Request, slug: str, job_id: uuid.UUID) -> Response:
        job = found(visible_jobs(self.collection, self.person), pk=job_id)
        self.parsed()
        request_cancel(job=job)
        job.refresh_from_db()
        return Response(JobAnswer(job).data)
