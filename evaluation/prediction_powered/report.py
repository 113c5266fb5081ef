"""The stored report of scores estimated from few people's labels and a shadow judge's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Sum

from accounts.models import Collection
from annotation.models import PairCount
from evaluation.label_effects.rankings import measure_named
from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.prediction_powered.limits import reason_against
from evaluation.prediction_powered.reading import (
    EstimateInput,
    SystemValues,
    estimate_input,
    shadow_labels,
    system_values,
)
from evaluation.prediction_powered.simulation import DRAWS, simulate, simulated_sizes
from evaluation.prediction_powered.tables import simulated_row
from evaluation.shadow_judges.services import shadow_judge_named
from jobs.context import JobContext
from reports.services import register
from scoring.statistics.prediction_powered import Estimates, estimate

NEXT = 5  # queries to judge that the report names


@register
@dataclass(frozen=True)
class PredictionPoweredReport(ShadowJudgeReport):
    """The estimates of a shadow judge, or the draws of a collection that people judged whole."""

    name = "estimate_scores"
    title = "Estimate scores with a shadow judge"
    page = "label-effects"
    version = 1

    def inputs(self, collection: Collection) -> dict[str, object]:
        # Opened queries are in the target before people judge them, too.
        opened = PairCount.objects.filter(query__collection=collection)
        counts = opened.aggregate(queries=Count("pk"), pairs=Sum("total"))
        return {**super().inputs(collection), "the opened queries": list(counts.values())}

    def compared(self, collection: Collection, work: JobContext) -> Mapping[str, Any]:
        judge = shadow_judge_named(collection, self.shadow_judge)
        work.progress(0, None, "reading labels")
        found, labels = estimate_input(collection), shadow_labels(judge)
        measure = measure_named(self.measure, collection.relevant_from)
        values = system_values(collection, found, labels, measure, work)
        sample = found.sample
        rest = sample.order[sample.judged :]
        return {
            "shadow_judge": judge.name,
            "seed": collection.seed,
            "queries": len(sample.order),
            "judged": sample.judged,
            "pairs": sum(found.pairs.values()),
            "pairs_left": sum(found.pairs[query] for query in rest),
            "without_model": sum(query not in labels for query in sample.order),
            "next": list(rest[:NEXT]),
            **_estimated(found, values, measure.name),
            "simulated": _simulated(found, values, measure.name, collection.seed),
        }


def _estimated(
    found: EstimateInput, values: Sequence[SystemValues], measure: str
) -> dict[str, object]:
    """The systems by estimated mean, the highest first; none if an interval would not be right."""
    sample = found.sample
    valued = max((int((~np.isnan(each.human)).sum()) for each in values), default=0)
    reason = sample.reason
    if not reason and not sample.is_whole:
        reason = reason_against(valued, len(sample.order) - sample.judged, measure)
    if not reason and not valued:
        reason = (
            "No system has a value for a judged query." if values else "There is no system yet."
        )
    systems = [] if reason else [_system(found, each) for each in values]
    systems.sort(key=lambda row: (-(row["powered"] or row["human"])["value"], row["system"]))
    return {"reason": reason, "valued": valued, "systems": systems}


def _system(found: EstimateInput, values: SystemValues) -> dict[str, Any]:
    """Means as fractions. With all queries judged, the mean is known and needs no interval."""
    model = values.model[~np.isnan(values.model)]
    row: dict[str, Any] = {
        "system": values.system,
        "model_only": float(model.mean()) if len(model) else None,
    }
    if found.sample.is_whole:
        mean = float(np.nanmean(values.human))
        return {**row, "human": _bounds(mean, mean, mean), "powered": None, "saved": None}
    judged = np.arange(found.sample.judged)[None, :]
    estimates = estimate(values.human[None, :], values.model, judged)
    saved = int(estimates.needed[0]) - found.sample.judged
    rest = found.sample.order[found.sample.judged :]
    left = sum(found.pairs[query] for query in rest)
    return {
        **row,
        "human": _first(estimates.human),
        "powered": _first(estimates.powered),
        "tuning": float(estimates.tuning[0]),
        "saved": {"queries": saved, "pairs": round(saved * left / len(rest))},
    }


def _first(estimates: Estimates) -> dict[str, float]:
    return _bounds(*(float(each[0]) for each in estimates))


def _bounds(value: float, low: float, high: float) -> dict[str, float]:
    if not math.isfinite(value + low + high):
        raise ValueError(f"an estimate must be finite, got {value} from {low} to {high}")
    return {"value": value, "low": low, "high": high}


def _simulated(
    found: EstimateInput, values: Sequence[SystemValues], measure: str, seed: str
) -> dict[str, object] | None:
    """Draws from a collection that people judged whole; None for others."""
    sizes = simulated_sizes(len(found.sample.order))
    valued = [each for each in values if len(each.human) and not np.isnan(each.human).all()]
    if not found.sample.is_whole or not valued or not sizes:
        return None
    human = np.array([each.human for each in valued])
    model = np.array([each.model for each in valued])
    drawn = simulate(human, model, sizes, draws=DRAWS, seed=seed, measure=measure)
    return {"draws": DRAWS, "sizes": [simulated_row(size) for size in drawn]}
