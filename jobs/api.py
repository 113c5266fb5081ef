"""Jobs in the API: long work is asked for, answered with 202, and looked at until it is done."""

from __future__ import annotations

import uuid

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView, found
from jobs import registry
from jobs.models import Job, State
from jobs.services import request_cancel


class Busy(APIException):
    """A job of this kind runs or waits, but with other parameters: it is not what was asked for."""

    status_code = 409
    default_detail = "A job that does the same with other parameters is not done yet; wait for it."
    default_code = "busy"


class JobAnswer(serializers.Serializer[Job]):
    """Long work: look again until `state` is `succeeded`, `failed` or `cancelled`."""

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
        return registry.title(job.kind)


def accepted(job: Job) -> Response:
    """202, and where to look."""
    where = reverse("api-job", args=[job.collection.slug, job.pk])
    return Response(JobAnswer(job).data, status=202, headers={"Location": where})


class Jobs(CollectionView):
    @extend_schema(summary="Jobs, the newest first", responses=JobAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.collection.jobs.all(), JobAnswer)


class OneJob(CollectionView):
    @extend_schema(summary="How far a job is", responses=JobAnswer)
    def get(self, request: Request, slug: str, job_id: uuid.UUID) -> Response:
        return Response(JobAnswer(found(self.collection.jobs.all(), pk=job_id)).data)


class CancelJob(CollectionView):
    @extend_schema(
        summary="Ask a job to stop",
        description="One that waits stops at once, one that runs at its next step; one that is "
        "done stays as it is.",
        request=None,
        responses=JobAnswer,
    )
    def post(self, request: Request, slug: str, job_id: uuid.UUID) -> Response:
        job = found(self.collection.jobs.all(), pk=job_id)
        request_cancel(job=job)
        job.refresh_from_db()
        return Response(JobAnswer(job).data)
