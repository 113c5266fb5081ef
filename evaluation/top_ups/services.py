"""Requesting, previewing and adding a pool round from runs and systems, by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from accounts.models import Collection, User
from adjudication.models import BlindRating, Decision
from annotation.team import (
    OLD_SHARE,
    PlanChanged,
    open_new_pairs,
    plan_new_pairs,
    request_new_pairs,
)
from evaluation.top_ups.decisive import limited_to_decisive
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
        return {**asdict(self), "runs": list(self.runs)}

    def plan(self, collection: Collection, work: JobContext) -> RoundPlan:
        """The plan, with the documents that it is limited to. Raises PoolingError."""
        plan = self._unlimited()
        if self.choice != RoundChoice.DECISIVE:
            return plan
        return limited_to_decisive(collection, plan, self.runs, self.measure, work)

    def check(self) -> None:
        """Raises PoolingError with the first problem, without computing what is decisive."""
        plan = self._unlimited()
        replace(plan, only={} if self.choice == RoundChoice.DECISIVE else None).check()

    def _unlimited(self) -> RoundPlan:
        return RoundPlan(
            reason=self.reason,
            choice=self.choice,
            depth=self.depth,
            seed=self.seed,
            parameters=self.parameters,
        )


def preview_top_up(collection: Collection, top_up: TopUp, work: JobContext) -> RoundPreview:
    """The documents that the round would add. Writes nothing. Raises PoolingError."""
    top_up.check()
    runs = late_runs(collection, top_up.runs)
    return preview_round(collection, top_up.plan(collection, work), runs, work)


def request_top_up(*, collection: Collection, top_up: TopUp, requested_by: User | None) -> Job:
    """Queue the round. Raises PoolingError for an invalid plan or an unknown run."""
    late_runs(collection, top_up.runs)
    top_up.check()
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
    top_up.check()
    runs = late_runs(collection, top_up.runs)
    plan = top_up.plan(collection, work)
    return add_round(collection=collection, plan=plan, runs=runs, work=work, made_by=made_by)


def open_round(
    *,
    collection: Collection,
    substitutes: Sequence[User] = (),
    requested_by: User | None = None,
    digest: str = "",
    old_share: float = OLD_SHARE,
) -> int | Job:
    """Open the new pairs of open queries: their number, or a job if the queries are many.

    Old pairs that a person decided or rated do not come to him or her again.

    Raises:
        CannotOpen, PlanChanged, InProgress: as the services of `annotation.team`.
    """
    plan = plan_new_pairs(collection=collection, substitutes=substitutes)
    if plan.is_long:
        if digest and plan.digest != digest:
            raise PlanChanged
        return request_new_pairs(
            collection=collection, plan=plan, requested_by=requested_by, old_share=old_share
        )
    return open_new_pairs(
        collection=collection,
        substitutes=substitutes,
        digest=digest,
        old_share=old_share,
        known=decided_pairs(collection),
    )


def decided_pairs(collection: Collection) -> dict[int, set[int]]:
    """The pairs that each adjudicator decided or rated, by his or her primary key."""
    known: dict[int, set[int]] = defaultdict(set)
    for model in (Decision, BlindRating):
        rows = model.objects.filter(pair__query__collection=collection).order_by()
        for person, pair in rows.values_list("adjudicator", "pair"):
            known[person].add(pair)
    return known
