"""Long work as rows. The row is the truth; a message only tells a worker to look at it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Collection
from jobs.queues import JobQueue


class State(models.TextChoices):
    QUEUED = "queued", "Waiting for a worker"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


LIVE = (State.QUEUED, State.RUNNING)


class JobQuerySet(models.QuerySet["Job"]):
    def live(self) -> JobQuerySet:
        return self.filter(state__in=LIVE)

    def matching(self, words: str) -> JobQuerySet:
        """Those with every word in their file's name, error or kind."""
        jobs = self
        for word in words.split():
            jobs = jobs.filter(
                models.Q(kind__icontains=word)
                | models.Q(error__icontains=word)
                | models.Q(parameters__filename__icontains=word)
            )
        return jobs

    def failed(self) -> JobQuerySet:
        """Failed jobs that were not tried again."""
        return self.filter(~models.Exists(later_tries()), state=State.FAILED)

    def with_state_only(self, kinds: Iterable[str]) -> JobQuerySet:
        """With `is_state_only`, true for jobs of these kinds."""
        is_state_only = models.Q(kind__in=list(kinds))
        return self.annotate(
            is_state_only=models.ExpressionWrapper(is_state_only, models.BooleanField())
        )

    def abandoned(self) -> JobQuerySet:
        """Running jobs whose worker sends no heartbeats. Another worker may take them over."""
        return self.filter(state=State.RUNNING, heartbeat_at__lt=_silent_since())

    def claimable(self) -> JobQuerySet:
        return self.filter(state=State.QUEUED) | self.abandoned()

    def sent(self) -> JobQuerySet:
        """Queued jobs whose message the broker accepted."""
        return self.filter(state=State.QUEUED, dispatched_at__isnull=False)

    def to_send(self) -> JobQuerySet:
        """Claimable jobs for which no message was sent in the last JOB_STALE_SECONDS.

        Without that condition, every worker would send a message at every tick for a job that
        waits behind a long one. A postponed job is sent after `waits_until`.
        """
        unsent = models.Q(dispatched_at=None) | models.Q(dispatched_at__lt=_silent_since())
        due = models.Q(waits_until=None) | models.Q(waits_until__lte=timezone.now())
        return self.claimable().filter(unsent, due)


def _silent_since() -> datetime:
    return timezone.now() - timedelta(seconds=settings.JOB_STALE_SECONDS)


def later_tries() -> JobQuerySet:
    """A subquery: later jobs with the key and the collection of the outer query's job."""
    return Job.objects.filter(
        collection=models.OuterRef("collection"),
        key=models.OuterRef("key"),
        created_at__gt=models.OuterRef("created_at"),
    )


class Job(models.Model):
    """A piece of long work, with its state, progress, result and error."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="jobs")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True
    )
    parameters = models.JSONField(default=dict)
    key = models.CharField(max_length=200, help_text="Two live jobs never have the same.")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(null=True, blank=True)
    progress_note = models.CharField(max_length=200, blank=True)
    result = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    dispatched_at = models.DateTimeField(null=True, blank=True)
    waits_until = models.DateTimeField(
        null=True, blank=True, help_text="When to send it again; it waits for other work."
    )
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=State.values), name="job_state_known"
            ),
            models.UniqueConstraint(
                fields=["collection", "key"],
                condition=models.Q(state__in=LIVE),
                name="job_live_once_per_key",
            ),
            models.CheckConstraint(
                condition=~models.Q(state=State.RUNNING) | models.Q(lease__isnull=False),
                name="job_running_has_lease",
            ),
        ]
        indexes = [models.Index(fields=["state", "heartbeat_at"], name="job_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def percent(self) -> int | None:
        if not self.progress_total:
            return None
        return min(100, 100 * self.progress_done // self.progress_total)

    @property
    def elapsed(self) -> timedelta | None:
        if self.started_at is None:
            return None
        return (self.finished_at or timezone.now()) - self.started_at

    def parameter(self, name: str) -> Any:
        return self.parameters[name]


class WorkerProcess(models.Model):
    """A worker that ran lately. It writes the time every few seconds, whether or not it has a job.

    `seen_at` is of the worker's clock and `stored_at` of the database's, so that they can be
    compared.
    """

    name = models.CharField(max_length=200, unique=True, help_text="Its machine and process.")
    version = models.CharField(max_length=40)
    queues = models.CharField(max_length=40, db_default=" ".join(JobQueue))
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    stored_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
