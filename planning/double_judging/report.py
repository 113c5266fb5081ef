"""The comparison of judging plans on a collection's own judgments, as a kind of stored report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from accounts.models import Collection
from agreement.revision import revision_of
from annotation.queue import collection_pace
from jobs.context import JobContext
from jobs.queues import JobQueue
from planning.double_judging.comparison import BUDGETS, REPETITIONS, compare_plans
from planning.double_judging.predictors import checked_model, model_digest, system_digests
from planning.double_judging.reading import measure_of_plans, read_compared
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register
from reports.states import LISTS


def plans_payload(
    collection: Collection,
    *,
    model: str = "",
    measure: str = "",
    facet: str = "",
    budgets: Sequence[str] = BUDGETS,
    repetitions: int = REPETITIONS,
    work: JobContext | None = None,
) -> dict[str, Any]:
    """The comparison as JSON types.

    Raises UnknownModel, UnknownPlanMeasure, UnknownPlanFacet, NothingToCompare, and ValueError for
    an invalid budget.
    """
    compared = read_compared(collection, model=model, measure=measure, facet=facet)
    pace = collection_pace(collection)

    def step(done: int) -> None:
        if work is not None:
            work.progress(done, repetitions, "repeating with other random choices")

    rows = compare_plans(
        compared.columns,
        compared.ranking,
        collection.seed,
        budgets=budgets,
        repetitions=repetitions,
        step=step,
    )
    return {
        "collection": collection.slug,
        "model": compared.model,
        "measure": compared.measure.name,
        "facet": facet,
        "seed": collection.seed,
        "repetitions": repetitions,
        "pairs": len(compared.columns),
        "left_out": compared.finished.left_out,
        "queries": compared.finished.queries,
        "finished_queries": compared.finished.finished,
        "seconds": pace.seconds if pace.measured else None,
        "systems": compared.ranking.systems,
        "rows": rows,
    }


@register
@dataclass(frozen=True)
class JudgingPlansReport(ReportKind):
    """Plans of judging compared over all facets, with one model, by the usual measure.

    `checked` raises UnknownModel.
    """

    name = "compare_judging_plans"
    title = "Compare judging plans"
    page = "plan-judging"
    version = 2
    queue = JobQueue.LONG

    model: str

    def checked(self, collection: Collection) -> Self:
        return replace(self, model=checked_model(collection, self.model))

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {
            "the labels": str(revision_of(collection)),
            "the model": model_digest(collection, self.model),
            LISTS: sorted(system_digests(collection).items()),
            "the measure": measure_of_plans(collection).name,
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        return ReportContent(plans_payload(collection, model=self.model, work=work))

    def result(self, report: StoredReport) -> dict[str, object]:
        return {"model": report.parameters["model"], "state": report.state}
