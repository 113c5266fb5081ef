"""The runs that pools are drawn from: which have to be made first, and waiting for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db.models import Q

from accounts.models import Collection, User
from corpus.models import QueryPaper
from jobs.models import LIVE, Job, JobQuerySet, State
from jobs.work import NotYet, Work
from pooling.models import Run
from pooling.retrievers import BUILT_IN, is_retriever
from pooling.services.asking import questions, retriever_named
from pooling.services.corpus import papers_of
from pooling.services.errors import PoolingError
from pooling.services.plan import PoolPlan
from pooling.services.runs import request_run, retrieve

LOOK_AGAIN = 2.0  # seconds


class RunMaker(Protocol):
    """How runs come about that pools are drawn from."""

    def wait(self, names: Sequence[str]) -> None:
        """Raises NotYet while somebody makes one of these runs, PoolingError if that failed."""

    def make(self, names: Sequence[str], digest: str) -> None:
        """Make these runs over the corpus of this digest. Raises like `wait`."""


def names_of(collection: Collection, plan: PoolPlan) -> list[str]:
    """The runs that a plan needs: those to draw from, and those it takes whole or leaves out.

    Where it names none to draw from, that is the usual retrievers and all other runs there are
    but judgments.
    """
    ranked = (run.name for run in collection.runs.all() if not run.holds_judgments)
    usual = {*BUILT_IN, *ranked}
    return sorted({*(plan.runs or usual), *plan.known_runs})


def runs_for(
    collection: Collection, names: Sequence[str], depth: int, digest: str, maker: RunMaker
) -> list[Run]:
    """The runs of these names, those made that are missing, or older or shallower than asked for.

    Raises PoolingError for a name that is neither a run's nor a retriever's, and what the maker
    raises.
    """
    papers = papers_of(collection)
    there = {run.name: run for run in collection.runs.filter(name__in=names)}
    for name in names:
        if name not in there and not is_retriever(name):
            raise PoolingError(f"No run {name!r} in {collection.slug}; import it first.")
    due = [
        name
        for name in names
        if is_retriever(name) and (name not in there or _is_old(there[name], digest, depth, papers))
    ]
    if due:
        maker.make(due, digest)
        there = {run.name: run for run in collection.runs.filter(name__in=names)}
    return [there[name] for name in names]


def _is_old(run: Run, digest: str, depth: int, papers: list[QueryPaper]) -> bool:
    if run.is_imported:
        return False
    ranked = set(run.rankings.values_list("query_paper_id", flat=True))
    return (
        run.parameters.get("corpus") != digest
        or (run.depth or 0) < depth
        or not _askable(run, papers) <= ranked
    )


def _askable(run: Run, papers: list[QueryPaper]) -> set[int]:
    """The query papers that the run has a list for, when it is new."""
    chosen = retriever_named(run.collection, run.name)
    return {paper.pk for paper in questions(run.collection, chosen, papers)}


class OneByOne:
    """Makes the runs here and now, as a part of the work at hand."""

    def __init__(self, collection: Collection, depth: int, work: Work) -> None:
        self.collection, self.depth, self.work = collection, depth, work

    def wait(self, names: Sequence[str]) -> None:
        pass

    def make(self, names: Sequence[str], digest: str) -> None:
        for name in names:
            retrieve(
                collection=self.collection,
                name=name,
                depth=self.depth,
                work=_Part(self.work),
                digest=digest,
            )


class SideBySide:
    """Has every run made by a job of its own and waits for them without holding a worker.

    A run whose job ended since `since` is not asked for again: what it left is all there will be.
    """

    def __init__(
        self, collection: Collection, depth: int, since: datetime, asked_by: User | None
    ) -> None:
        self.collection, self.depth, self.since, self.asked_by = collection, depth, since, asked_by

    def wait(self, names: Sequence[str]) -> None:
        """One question, so that looking again every few seconds costs nothing."""
        keys = {f"run:{name}": name for name in names}
        jobs = {job.key: job for job in self._jobs(keys)}  # the newest of each key
        for key, job in sorted(jobs.items()):
            if job.created_at >= self.since and job.state in (State.FAILED, State.CANCELLED):
                raise _missing(keys[key], job)
        if live := sorted(keys[key] for key, job in jobs.items() if job.is_live):
            raise NotYet(f"waits for {', '.join(live)}", seconds=LOOK_AGAIN)

    def make(self, names: Sequence[str], digest: str) -> None:
        for job in self._jobs(f"run:{name}" for name in names):
            if job.created_at >= self.since and not job.is_live:
                raise _missing(job.key.removeprefix("run:"), job)
        for name in names:
            request_run(
                collection=self.collection,
                name=name,
                depth=self.depth,
                requested_by=self.asked_by,
            )
        raise NotYet(f"waits for {', '.join(names)}", seconds=LOOK_AGAIN)

    def _jobs(self, keys: Iterable[str]) -> JobQuerySet:
        recent = Q(created_at__gte=self.since) | Q(state__in=LIVE)
        return self.collection.jobs.filter(recent, key__in=list(keys)).order_by("created_at")


def _missing(name: str, job: Job) -> PoolingError:
    match job.state:
        case State.FAILED:
            how = f"{name} failed: {job.error}"
        case State.CANCELLED:
            how = f"{name} was cancelled."
        case _:
            how = f"After {name} had run, documents or queries changed."
    return PoolingError(f"No pool was built, because a run is missing. {how}")


@dataclass
class _Part:
    """A part of a larger work: it reports and writes like the whole, but does not end it."""

    whole: Work

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        self.whole.progress(done, total, note)

    def fenced(self) -> AbstractContextManager[None]:
        return self.whole.fenced()

    def complete(self, result: dict[str, Any]) -> None:
        pass
