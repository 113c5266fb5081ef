"""The page that compares two pool plans: its form and its view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from planning.comparison import comparison_of
from pooling.forms import CostForm
from pooling.models import LastPlan, SavedPlan
from pooling.plan_form import PoolPlanForm
from pooling.plan_page import SAVED, PlanPage, last_plan, problems_of, saved_plans
from pooling.preview import USUAL_DEPTH, Cost
from pooling.services import Estimate, PoolPlan
from pooling.strategies import STRATEGIES
from pooling.tables.freeze_preview import OverlapMatrix

LAST = "last"


@dataclass(frozen=True)
class PlanChoice:
    """A plan that can be compared, its name on the page and the address that opens it."""

    key: str
    name: str
    plan: LastPlan | SavedPlan

    @property
    def url(self) -> str:
        address = reverse("plan-pools", args=[self.plan.collection.slug])
        return address if self.key == LAST else f"{address}?{SAVED}={self.key}"

    def form(self) -> PoolPlanForm:
        return PlanPage.of_plan(self.plan).form.as_sent()


@dataclass(frozen=True)
class PlanColumn:
    """A plan of the comparison; `problems` say why it cannot be calculated."""

    choice: PlanChoice
    form: PoolPlanForm
    problems: list[str]
    estimate: Estimate | None = None
    cost: Cost | None = None

    @property
    def plan(self) -> PoolPlan:
        return self.form.plan()

    @property
    def strategy(self) -> str:
        return STRATEGIES[self.plan.strategy].title

    @property
    def matrix(self) -> OverlapMatrix | None:
        """The overlap of the runs; None for fewer than two."""
        overlaps = self.estimate and self.estimate.overlaps
        if not overlaps or len(overlaps.names) < 2:
            return None
        return OverlapMatrix.of(overlaps, USUAL_DEPTH)


class ComparisonForm(forms.Form):
    """The choice of two plans to compare; nothing is saved."""

    first = forms.ChoiceField(label="First plan")
    second = forms.ChoiceField(label="Second plan")

    def __init__(self, parameters: QueryDict, choices: list[PlanChoice], usual: PlanChoice) -> None:
        """With the plan in `usual` first, and any other second, unless the URL says otherwise."""
        by_key = {choice.key: choice for choice in choices}
        first = by_key.get(parameters.get("first", ""), usual)
        others = [choice for choice in choices if choice.key != first.key]
        second = by_key.get(parameters.get("second", ""), others[0])
        super().__init__({"first": first.key, "second": second.key})
        for name in self.fields:
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(choice.key, choice.name) for choice in choices]
        self.plans = (first, second)


def plan_choices(collection: Collection) -> tuple[list[PlanChoice], PlanChoice | None]:
    """The plans that can be compared, and the one that was last typed.

    The last plan is left out if it is equal to a saved plan.
    """
    choices = [PlanChoice(str(plan.pk), plan.name, plan) for plan in saved_plans(collection)]
    last = last_plan(collection)
    if last is None:
        return choices, next(iter(choices), None)
    # Saving a plan makes it the last one, with its name as that of the plan that was opened.
    for choice in choices:
        if [choice.name] == last.fields.get("opened") and choice.plan.fields == last.fields:
            return choices, choice
    last_choice = PlanChoice(LAST, "The last plan, not saved under a name", last)
    return [last_choice, *choices], last_choice


@in_collection(Role.ADMIN)
@require_safe
def compare_plans(request: HttpRequest, collection: Collection) -> HttpResponse:
    choices, usual = plan_choices(collection)
    context: dict[str, Any] = {"collection": collection, "choices": choices}
    if usual is not None and len(choices) > 1:
        form = ComparisonForm(request.GET, choices, usual)
        context |= {"form": form, **_comparison(request, collection, form.plans)}
    return render(request, "evaluation/compare_plans.html", context)


def _comparison(
    request: HttpRequest, collection: Collection, plans: tuple[PlanChoice, PlanChoice]
) -> dict[str, Any]:
    """The context of the page. Both plans have the same costs: the URL's, or the first plan's."""
    costs = CostForm.of(
        MultiValueDict({**plans[0].plan.fields, **dict(request.GET.lists())}), collection
    )
    plan_forms = [choice.form() for choice in plans]
    columns = [
        PlanColumn(choice, form, [] if form.is_valid() else problems_of(form))
        for choice, form in zip(plans, plan_forms, strict=True)
    ]
    if any(column.problems for column in columns):
        return {"costs": costs, "columns": columns, "comparison": None}
    comparison = comparison_of(collection, *plan_forms)
    columns = [
        PlanColumn(
            column.choice,
            column.form,
            [],
            estimate,
            costs.cost(candidates=estimate.candidates, pairs=estimate.pairs, collection=collection),
        )
        for column, estimate in zip(columns, comparison.estimates, strict=True)
    ]
    return {"costs": costs, "columns": columns, "comparison": comparison}
