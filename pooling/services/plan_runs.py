"""The runs of a plan: find them, make missing ones, and wait for their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.db.models import Q

from accounts.models import Collection, User
from corpus.models import QueryPaper
from corpus.state import papers_with_queries
from jobs.context import JobContext, RetryLater, StepContext
from jobs.models import LIVE, Job, JobQuerySet, State
from pooling.errors import PoolingError
from pooling.services.plans import PoolPlan
from retrieval.models import Run
from retrieval.retrievers import is_retriever
from retrieval.services.query_texts import query_texts, retriever_named, usual_retrievers
from retrieval.services.runs import request_run, retrieve

CHECK_INTERVAL = 2.0  # seconds


class RunMaker(Protocol):
    """Makes the runs that a plan needs."""

    def wait(self, names: Sequence[str]) -> None:
        """Raises RetryLater while a job makes one of these runs, PoolingError if the job failed."""

    def make(self, names: Sequence[str], digest: str) -> None:
        """Make these runs over the corpus with this digest. Raises like `wait`."""


def run_names(collection: Collection, plan: PoolPlan) -> list[str]:
    """The runs that a plan needs: those to draw from, and the forced and excluded ones.

    If the plan names none to draw from, these are the usual retrievers and all runs except
    judgments.
    """
    ranked = (run.name for run in collection.runs.all() if not run.holds_judgments)
    usual = {*usual_retrievers(collection), *ranked}
    return sorted({*(plan.runs or usual), *plan.known_runs})


def ensure_runs(
    collection: Collection, names: Sequence[str], depth: int, digest: str, maker: RunMaker
) -> list[Run]:
    """The runs of these names. Runs that are missing, out of date or too shallow are made first.

    Raises PoolingError for a name that is neither a run's nor a retriever's, and whatever the
    maker raises.
    """
    papers = papers_with_queries(collection)
    runs_by_name = {run.name: run for run in collection.runs.filter(name__in=names)}
    for name in names:
        if name not in runs_by_name and not is_retriever(name):
            raise PoolingError(f"{collection.slug} has no run {name!r}. Import it first.")
    due = [
        name
        for name in names
        if is_retriever(name)
        and (name not in runs_by_name or _is_out_of_date(runs_by_name[name], digest, depth, papers))
    ]
    if due:
        maker.make(due, digest)
        runs_by_name = {run.name: run for run in collection.runs.filter(name__in=names)}
    return [runs_by_name[name] for name in names]


def _is_out_of_date(run: Run, digest: str, depth: int, papers: list[QueryPaper]) -> bool:
    if run.is_imported:
        return False
    if run.parameters.get("corpus") != digest or (run.depth or 0) < depth:
        return True
    retriever = retriever_named(run.collection, run.name)
    expected = {paper.pk for paper in query_texts(run.collection, retriever, papers)}
    return not expected <= set(run.rankings.values_list("query_paper_id", flat=True))


@dataclass(frozen=True)
class InlineRunMaker:
    """Makes the runs within the job that builds the pools."""

    collection: Collection
    depth: int
    work: JobContext

    def wait(self, names: Sequence[str]) -> None:
        pass

    def make(self, names: Sequence[str], digest: str) -> None:
        for name in names:
            retrieve(
                collection=self.collection,
                name=name,
                depth=self.depth,
                work=StepContext(self.work),
                digest=digest,
            )


@dataclass(frozen=True)
class JobRunMaker:
    """Queues a job for every run and waits for them without occupying a worker.

    A run whose job ended after `requested_at` is not queued again: its result would be the same.
    """

    collection: Collection
    depth: int
    requested_at: datetime
    requested_by: User | None

    def wait(self, names: Sequence[str]) -> None:
        """Raise RetryLater while a job is live. One query, because this runs every few seconds."""
        keys = {f"run:{name}": name for name in names}
        jobs = {job.key: job for job in self._jobs(keys)}  # the newest of each key
        for key, job in sorted(jobs.items()):
            if job.created_at >= self.requested_at and job.state in (State.FAILED, State.CANCELLED):
                raise _missing_run_error(keys[key], job)
        if live := sorted(keys[key] for key, job in jobs.items() if job.is_live):
            raise RetryLater(f"waits for {', '.join(live)}", seconds=CHECK_INTERVAL)

    def make(self, names: Sequence[str], digest: str) -> None:
        for job in self._jobs(f"run:{name}" for name in names):
            if job.created_at >= self.requested_at and not job.is_live:
                raise _missing_run_error(job.key.removeprefix("run:"), job)
        for name in names:
            request_run(
                collection=self.collection,
                name=name,
                depth=self.depth,
                requested_by=self.requested_by,
            )
        raise RetryLater(f"waits for {', '.join(names)}", seconds=CHECK_INTERVAL)

    def _jobs(self, keys: Iterable[str]) -> JobQuerySet:
        recent = Q(created_at__gte=self.requested_at) | Q(state__in=LIVE)
        return self.collection.jobs.filter(recent, key__in=list(keys)).order_by("created_at")


def _missing_run_error(name: str, job: Job) -> PoolingError:
    match job.state:
        case State.FAILED:
            reason = f"{name} failed: {job.error}"
        case State.CANCELLED:
            reason = f"{name} was cancelled."
        case _:
            reason = f"Documents or queries changed after {name} ran."
    return PoolingError(f"No pools were built, because a run is missing. {reason}")
