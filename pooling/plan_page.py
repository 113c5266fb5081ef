"""The page "Plan the pools": the plan's form, and the size and cost of its pools beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from pooling.forms import CostForm
from pooling.models import LastPlan
from pooling.plan_form import PoolPlanForm
from pooling.preview import Cost
from pooling.services import Estimate, estimate_pools

DEFAULTS = "defaults"  # the URL's parameter that leaves the last plan out
SHOWN_OVERLAPS = 3


@dataclass(frozen=True)
class PlanPage:
    """The forms of the page. `last_plan` is set if the page opens with it."""

    collection: Collection
    form: PoolPlanForm
    costs: CostForm
    last_plan: LastPlan | None = None

    @classmethod
    def opened(cls, collection: Collection, address: MultiValueDict[str, str]) -> PlanPage:
        """With what the URL says, or else as it was last sent, or else with the defaults."""
        form = PoolPlanForm.at(address, collection)
        costs = CostForm.of(address, collection)
        if form.initial or DEFAULTS in address:
            return cls(collection, form, costs)
        last_plan = (
            LastPlan.objects.filter(collection=collection).select_related("saved_by").first()
        )
        if last_plan is None:
            return cls(collection, form, costs)
        fields = {name: list(texts) for name, texts in last_plan.fields.items()}
        return cls(
            collection,
            PoolPlanForm.of_last(fields, collection),
            CostForm.of(MultiValueDict(fields), collection),
            last_plan,
        )

    @classmethod
    def sent(cls, collection: Collection, texts: MultiValueDict[str, str]) -> PlanPage:
        return cls(
            collection, PoolPlanForm(texts, collection=collection), CostForm.of(texts, collection)
        )

    def texts(self) -> dict[str, list[str]]:
        """What was sent, to open the page with it again."""
        return self.form.texts() | {
            name: [str(self.costs.data[name])] for name in self.costs.fields
        }

    def size(self) -> dict[str, Any]:
        """The context of the panel with size and cost."""
        form = self.form.as_sent()
        if not form.is_valid():
            return {"estimate": None, "problems": _problems(form)}
        estimate = estimate_pools(collection=self.collection, plan=form.plan(), docnos=form.docnos)
        return {
            "estimate": estimate,
            "overlaps": estimate.pair_overlaps[:SHOWN_OVERLAPS],
            "cost": self._cost(estimate),
        }

    def _cost(self, estimate: Estimate) -> Cost:
        return self.costs.cost(
            candidates=estimate.candidates, pairs=estimate.pairs, collection=self.collection
        )


def _problems(form: PoolPlanForm) -> list[str]:
    """The first error of each field, with the field's name. A parameter's error begins with it."""
    labels = {name: str(form[name].label) for name in form.fields}
    problems = {labels.get(name, ""): str(errors[0]) for name, errors in form.errors.items()}
    return [
        problem if problem.startswith(label) else f"{label}: {problem}"
        for label, problem in problems.items()
    ]
