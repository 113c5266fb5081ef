"""The page "Plan the pools": the plan's form, and the size and cost of its pools beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from pooling.forms import CostForm
from pooling.models import LastPlan, SavedPlan
from pooling.plan_form import PoolPlanForm
from pooling.services import estimate_pools
from pooling.strategies import STRATEGIES

# Parameters of the URL: one opens a saved plan, the other leaves the last plan out.
SAVED, DEFAULTS = "saved", "defaults"
SHOWN_OVERLAPS = 3
KEY_DIGITS = 18  # of a primary key: more may not fit its column


class SavedPlanRow(NamedTuple):
    """A saved plan and the title of its strategy, "" if it has none."""

    plan: SavedPlan
    strategy: str


@dataclass(frozen=True)
class PlanPage:
    """The forms of the page. `source` is the plan that it opens with, if any."""

    collection: Collection
    form: PoolPlanForm
    costs: CostForm
    source: LastPlan | SavedPlan | None = None

    @classmethod
    def opened(cls, collection: Collection, address: MultiValueDict[str, str]) -> PlanPage:
        """With what the URL says, or else as it was last sent, or else with the defaults.

        Raises Http404 for a saved plan that the collection does not have.
        """
        if key := address.get(SAVED):
            return cls.of_plan(get_object_or_404(saved_plans(collection), pk=_row_number(key)))
        form = PoolPlanForm.at(address, collection)
        costs = CostForm.of(address, collection)
        if form.initial or DEFAULTS in address:
            return cls(collection, form, costs)
        plan = last_plan(collection)
        return cls(collection, form, costs) if plan is None else cls.of_plan(plan)

    @classmethod
    def of_plan(cls, plan: LastPlan | SavedPlan) -> PlanPage:
        """Filled in as the plan was typed."""
        fields = {name: list(texts) for name, texts in plan.fields.items()}
        return cls(
            plan.collection,
            PoolPlanForm.of_texts(fields, plan.collection),
            CostForm.of(MultiValueDict(fields), plan.collection),
            plan,
        )

    @classmethod
    def sent(
        cls,
        collection: Collection,
        texts: MultiValueDict[str, str],
        files: MultiValueDict[str, UploadedFile[Any]],
    ) -> PlanPage:
        return cls(
            collection,
            PoolPlanForm(texts, files, collection=collection),
            CostForm.of(texts, collection),
        )

    @property
    def name(self) -> str:
        """The name of the saved plan that the page opens with, or ""."""
        return self.source.name if isinstance(self.source, SavedPlan) else ""

    def texts(self) -> dict[str, list[str]]:
        """The submitted texts, to open the page with them again."""
        return self.form.texts() | {
            name: [str(self.costs.data[name])] for name in self.costs.fields
        }

    def size(self) -> dict[str, Any]:
        """The context of the panel with size and cost."""
        form = self.form.as_sent()
        if not form.is_valid():
            return {"estimate": None, "problems": problems_of(form)}
        estimate = estimate_pools(
            collection=self.collection,
            plan=form.plan(),
            docnos=form.docnos,
            without_pool=form.without_pool,
        )
        return {
            "estimate": estimate,
            "overlaps": estimate.pair_overlaps[:SHOWN_OVERLAPS],
            "cost": self.costs.cost(
                candidates=estimate.candidates, pairs=estimate.pairs, collection=self.collection
            ),
        }


def last_plan(collection: Collection) -> LastPlan | None:
    plans = LastPlan.objects.filter(collection=collection)
    return plans.select_related("collection", "saved_by").first()


def saved_plans(collection: Collection) -> QuerySet[SavedPlan]:
    """The saved plans by name, with who saved them. Their fields are read only if needed.

    The list of docnos among the fields may be long.
    """
    return collection.saved_plans.select_related("collection", "saved_by").defer("fields")


def plan_rows(collection: Collection) -> list[SavedPlanRow]:
    """The saved plans as the page lists them. One query."""
    plans = saved_plans(collection).annotate(strategy=KT("fields__strategy__0"))
    titles = {name: strategy.title for name, strategy in STRATEGIES.items()}
    return [SavedPlanRow(plan, titles.get(plan.strategy, "")) for plan in plans]


def _row_number(text: str) -> int:
    """The primary key in an address; that of no row if it is not a number."""
    return int(text) if text.isdecimal() and len(text) <= KEY_DIGITS else 0


def problems_of(form: PoolPlanForm) -> list[str]:
    """The first error of each field, with the field's name. A parameter's error begins with it."""
    labels = {name: str(form[name].label) for name in form.fields}
    problems = {labels.get(name, ""): str(errors[0]) for name, errors in form.errors.items()}
    return [
        problem if problem.startswith(label) else f"{label}: {problem}"
        for label, problem in problems.items()
    ]
