"""The forms of the pages about runs and pools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from pooling import preview
from pooling.retrievers import BUILT_IN, CATALOGUE, NoSuchRetriever, retriever
from pooling.services import (
    CITED,
    DEFAULT_DEPTH,
    DEFAULT_STRATEGY,
    PoolingError,
    PoolPlan,
)
from pooling.strategies import STRATEGIES, Parameter, Strategy, StrategyError


class CostForm(forms.Form):
    """What the hours and their cost are reckoned with; nothing of it is kept."""

    seconds = forms.FloatField(label="Seconds a judgment", min_value=0.1, max_value=3600)
    adjudicated = forms.FloatField(label="Adjudicated, in %", min_value=0, max_value=100)
    rate = forms.FloatField(label="Cost of an hour", min_value=0, max_value=1e6, required=False)

    @classmethod
    def of(cls, given: QueryDict, collection: Collection) -> CostForm:
        """Filled in with what the address says, and else with what is usual."""
        usual = {
            "seconds": f"{collection.seconds_per_judgment:g}",
            "adjudicated": f"{100 * preview.ADJUDICATED_SHARE:g}",
            "rate": "",
        }
        return cls({name: given.get(name, value) for name, value in usual.items()})

    def cost(self, *, candidates: int, pairs: int, collection: Collection) -> preview.Cost:
        """What is wrong in the form counts as not said."""
        self.full_clean()
        said = self.cleaned_data
        return preview.Cost(
            candidates=candidates,
            pairs=pairs,
            seconds_per_judgment=said.get("seconds", collection.seconds_per_judgment),
            adjudicated_share=said.get("adjudicated", 100 * preview.ADJUDICATED_SHARE) / 100,
            hourly_rate=said.get("rate"),
        )


class Choice(NamedTuple):
    """A strategy in the form: its radio button and its parameters' fields."""

    strategy: Strategy
    button: forms.boundfield.BoundWidget
    fields: list[forms.BoundField]


class PoolPlanForm(forms.Form):
    strategy = forms.ChoiceField(
        label="Strategy",
        choices=[(one.name, one.title) for one in STRATEGIES.values()],
        initial=DEFAULT_STRATEGY,
        widget=forms.RadioSelect,
    )
    cited = forms.BooleanField(
        label="Every paper that the query paper cites", required=False, initial=True
    )
    runs = forms.MultipleChoiceField(
        label="Drawn from", widget=forms.CheckboxSelectMultiple, required=False
    )
    more = forms.CharField(
        label="Other retrievers by name",
        required=False,
        max_length=1000,
        help_text="With spaces between them: “bm25_abstract@method” asks with the sentences of a "
        "facet only, “encoder:MODEL” is a sentence encoder.",
    )
    depth = forms.IntegerField(
        label="Depth of the built-in retrievers",
        min_value=1,
        max_value=100_000,
        initial=DEFAULT_DEPTH,
        help_text="How many documents a built-in retriever ranks for a query paper.",
    )
    seed = forms.CharField(
        label="Seed",
        required=False,
        max_length=64,
        help_text="Decides the order of the retrievers and every sample. The same seed gives the "
        "same pools.",
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        names = list(collection.runs.values_list("name", flat=True))
        new = {name: does for name, does in CATALOGUE.items() if name not in names}
        runs = self.fields["runs"]
        assert isinstance(runs, forms.MultipleChoiceField)
        runs.choices = [(name, name) for name in names] + [
            (name, f"{name} (runs first)") for name in new
        ]
        runs.initial = [*names, *(name for name in BUILT_IN if name in new)]
        self.fields["seed"].initial = collection.seed
        for strategy in STRATEGIES.values():
            for parameter in strategy.parameters:
                self.fields[field_name(strategy, parameter)] = _field(parameter)

    def choices(self) -> Iterator[Choice]:
        buttons = list(self["strategy"])
        for strategy, button in zip(STRATEGIES.values(), buttons, strict=True):
            fields = [self[field_name(strategy, one)] for one in strategy.parameters]
            yield Choice(strategy, button, fields)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        cleaned["runs"] = [*cleaned.get("runs", ()), *self._others(cleaned.get("more", ""))]
        if not cleaned["runs"] and "runs" not in self.errors and "more" not in self.errors:
            self.add_error("runs", "Tick at least one run to draw from.")
        if cleaned.get("strategy"):
            cleaned["parameters"] = self._parameters(STRATEGIES[cleaned["strategy"]])
        if not self.errors:
            try:
                self.plan().check()
            except PoolingError as error:
                self.add_error("depth", str(error))
        return cleaned

    def _others(self, words: str) -> list[str]:
        names = list(dict.fromkeys(words.replace(",", " ").split()))
        for name in names:
            try:
                retriever(name)
            except NoSuchRetriever as error:
                self.add_error("more", str(error))
        return names

    def _parameters(self, chosen: Strategy) -> dict[str, Any]:
        """Of the chosen strategy; what was typed for the others does not matter."""
        said = {
            one.name: self.cleaned_data[field_name(chosen, one)]
            for one in chosen.parameters
            if self.cleaned_data.get(field_name(chosen, one))
        }
        values = {}
        for one in chosen.parameters:
            if one.name in said:
                try:
                    values[one.name] = one.read(said[one.name])
                except StrategyError as error:
                    self.add_error(field_name(chosen, one), str(error))
        if len(values) == len(said):
            try:
                chosen.read(values)
            except StrategyError as error:
                self.add_error("strategy", str(error))
        return values

    def plan(self) -> PoolPlan:
        said = self.cleaned_data
        return PoolPlan(
            strategy=said["strategy"],
            parameters=said["parameters"],
            forced=(CITED,) if said["cited"] else (),
            seed=said["seed"],
            runs=tuple(said["runs"]),
            depth=said["depth"],
        )


def field_name(strategy: Strategy, parameter: Parameter) -> str:
    return f"{strategy.name}-{parameter.name}"


def _field(parameter: Parameter) -> forms.CharField:
    """Text for every kind, so that the strategy alone says what is a value and what is not."""
    default = parameter.default
    values = default if isinstance(default, tuple) else (default,)
    return forms.CharField(
        label=parameter.name,
        required=False,
        max_length=200,
        initial=", ".join(f"{value:g}" for value in values),
        help_text=parameter.about,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric" if parameter.kind == "whole" else "text"}
        ),
    )
