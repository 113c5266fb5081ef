"""Long work as rows: what was asked, how far it is, what came of it; and the reports that jobs compute."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.utils import timezone

from accounts.models import Collection, User


class State(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> JobQuerySet:
        return self.filter(state__in=[State.QUEUED, State.RUNNING])


class Job(models.Model):
    """`lease` is the running worker's claim: only who holds it may write (jobs/work.py)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    requested_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True)
    note = models.CharField(max_length=200, blank=True)
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    cancel_requested = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        indexes = [models.Index(fields=["collection", "kind", "-created_at"]), models.Index(fields=["state"])]

    def __str__(self) -> str:
        return f"{self.title} ({self.get_state_display()})"

    @property
    def title(self) -> str:
        """Compute agreement"""
        return self.kind.replace("_", " ").capitalize()

    @property
    def is_finished(self) -> bool:
        return self.state not in (State.QUEUED, State.RUNNING)

    @property
    def seconds(self) -> float:
        """Since it began, or how long it took."""
        began = self.started_at or self.created_at
        return ((self.finished_at or timezone.now()) - began).total_seconds()


class ReportQuerySet(models.QuerySet["Report"]):
    def find(self, collection: Collection, kind: str, **parameters: Any) -> Report | None:
        return self.filter(collection=collection, kind=kind, parameters=parameters).first()

    def put(self, collection: Collection, kind: str, data: dict[str, Any], *, labels: str, **parameters: Any) -> Report:
        """Keep the newest report of a kind and its parameters."""
        report, _ = self.update_or_create(
            collection=collection,
            kind=kind,
            parameters=parameters,
            defaults={"data": data, "labels": labels, "created_at": timezone.now()},
        )
        return report


class Report(models.Model):
    """A computed table. `labels` is the state of the labels it was computed from (`annotation.labels_state`)."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict)
    data = models.JSONField()
    labels = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)

    objects = ReportQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["collection", "kind"])]

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection}"
