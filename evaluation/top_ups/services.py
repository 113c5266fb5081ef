"""Requesting, previewing and adding a pool round from runs and systems, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Collection, User
from evaluation.top_ups.runs import late_runs
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue
from pooling.models import PoolRound, RoundChoice
from pooling.rounds.plans import DEFAULT_DEPTH, RoundPlan
from pooling.rounds.services import RoundPreview, add_round, preview_round

JOB = "top_up_pools"


@dataclass(frozen=True)
class TopUp:
    """A request for a pool round. For `decisive`, `measure` is that of the conclusions."""

    runs: tuple[str, ...]
    reason: str
    choice: str = RoundChoice.ALL_UNJUDGED.value
    depth: int = DEFAULT_DEPTH
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: str = ""
    measure: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> TopUp:
        """The request in a job's parameters."""
        return cls(**{**values, "runs": tuple(values["runs"])})

    def as_json(self) -> dict[str, Any]:
        return {
            "runs": list(self.runs),
            "reason": self.reason,
            "choice": self.choice,
            "depth": self.depth,
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "measure": self.measure,
        }

    def plan(self, collection: Collection, work: JobContext) -> RoundPlan:
        """The plan, with the documents that it is limited to. Raises PoolingError."""
        return RoundPlan(
            reason=self.reason,
            choice=self.choice,
            depth=self.depth,
            seed=self.seed,
            parameters=self.parameters,
        )


def preview_top_up(collection: Collection, top_up: TopUp, work: JobContext) -> RoundPreview:
    """What the round would add. Writes nothing. Raises PoolingError."""
    runs = late_runs(collection, top_up.runs)
    return preview_round(collection, top_up.plan(collection, work), runs, work)


def request_top_up(*, collection: Collection, top_up: TopUp, requested_by: User | None) -> Job:
    """Queue the round. Raises PoolingError for an invalid plan or an unknown run."""
    late_runs(collection, top_up.runs)
    RoundPlan(
        top_up.reason, depth=top_up.depth, parameters=top_up.parameters, choice=top_up.choice,
        only={},
    ).check()
    return enqueue(
        kind=JOB,
        collection=collection,
        parameters=top_up.as_json(),
        requested_by=requested_by,
    )


def top_up_pools(
    *, collection: Collection, top_up: TopUp, work: JobContext, made_by: User | None = None
) -> PoolRound:
    """Add the round to the frozen pools. Raises the errors of `add_round`."""
    runs = late_runs(collection, top_up.runs)
    plan = top_up.plan(collection, work)
    return add_round(collection=collection, plan=plan, runs=runs, work=work, made_by=made_by)
