"""The form that asks for pools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from pooling.models import Run
from pooling.retrievers import BUILT_IN, NoSuchRetriever, is_retriever, retriever
from pooling.services import (
    CITED,
    DEFAULT_DEPTH,
    DEFAULT_STRATEGY,
    PoolingError,
    PoolPlan,
    check_allowed,
    offered,
)
from pooling.strategies import STRATEGIES, Parameter, Strategy, StrategyError

# What is done with the documents of a source that are known beforehand.
FORCED, EXCLUDED, DRAWN = "forced", "excluded", "drawn"
USES = [(FORCED, "first, whole"), (EXCLUDED, "left out"), (DRAWN, "like any other")]
KNOWN = "known-"  # before an imported run's name, the field that says it
REQUIREMENTS = {
    "same_field": "share a field of study with the query paper",
    "not_later": "are not of a later year than the query paper",
}


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
    cited = forms.ChoiceField(
        label="What the query paper cites",
        choices=USES,
        initial=FORCED,
        widget=forms.RadioSelect,
    )
    runs = forms.MultipleChoiceField(
        label="Drawn from", widget=forms.CheckboxSelectMultiple, required=False
    )
    only = forms.MultipleChoiceField(
        label="Draw only documents that",
        choices=list(REQUIREMENTS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    more = forms.CharField(
        label="Other retrievers by name",
        required=False,
        max_length=1000,
        help_text="With spaces between them: “bm25_abstract@method” asks with the sentences of a "
        "facet only, “random.same_field” draws from the query paper’s fields only, and "
        "“encoder:MODEL” is a sentence encoder that this server allows.",
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
        self.made = {run.name: run for run in collection.runs.all()}
        new = [name for name in offered() if name not in self.made]
        runs = self.fields["runs"]
        assert isinstance(runs, forms.MultipleChoiceField)
        runs.choices = [(name, name) for name in self.made] + [
            (name, f"{name} (runs first)") for name in new
        ]
        ranked = [name for name, run in self.made.items() if not run.holds_judgments]
        runs.initial = [*ranked, *(name for name in BUILT_IN if name in new)]
        self.imported = [name for name in self.made if not is_retriever(name)]
        for name in self.imported:
            self.fields[f"{KNOWN}{name}"] = _use(self.made[name])
        self.fields["seed"].initial = collection.seed
        for strategy in STRATEGIES.values():
            for parameter in strategy.parameters:
                self.fields[field_name(strategy, parameter)] = _field(parameter)

    @classmethod
    def at(cls, address: QueryDict, collection: Collection) -> PoolPlanForm:
        """Filled in with what the address says; what it says wrong counts as not said."""
        form = cls(collection=collection)
        for name, field in form.fields.items():
            if said := [one for one in address.getlist(name) if _reads(field, one)]:
                many = isinstance(field, forms.MultipleChoiceField)
                form.initial[name] = said if many else said[-1]
        return form

    @property
    def says_more(self) -> bool:
        """Whether there is something to see among the fields that are folded away."""
        return any(
            name in self.errors or name in self.initial for name in ("more", "depth", "seed")
        )

    def known(self) -> list[forms.BoundField]:
        """What can be taken whole or left out: the cited papers, then every imported run."""
        return [self["cited"], *(self[f"{KNOWN}{name}"] for name in self.imported)]

    def choices(self) -> Iterator[Choice]:
        buttons = list(self["strategy"])
        for strategy, button in zip(STRATEGIES.values(), buttons, strict=True):
            fields = [self[field_name(strategy, one)] for one in strategy.parameters]
            yield Choice(strategy, button, fields)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        named = [*cleaned.get("runs", ()), *self._others(cleaned.get("more", ""))]
        known = {*self._used(FORCED), *self._used(EXCLUDED)}
        cleaned["runs"] = [name for name in dict.fromkeys(named) if name not in known]
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
                if name not in self.made:
                    check_allowed(name)
            except (NoSuchRetriever, PoolingError) as error:
                self.add_error("more", str(error))
        return names

    def _used(self, use: str) -> tuple[str, ...]:
        """The sources of known documents that this is to be done with."""
        runs = [name for name in self.imported if self.cleaned_data.get(f"{KNOWN}{name}") == use]
        cited = [CITED] if self.cleaned_data.get("cited") == use else []
        return (*cited, *runs)

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
            forced=self._used(FORCED),
            excluded=self._used(EXCLUDED),
            only=tuple(said["only"]),
            seed=said["seed"],
            runs=tuple(said["runs"]),
            depth=said["depth"],
        )


def field_name(strategy: Strategy, parameter: Parameter) -> str:
    return f"{strategy.name}-{parameter.name}"


def _reads(field: forms.Field, text: str) -> bool:
    """Whether a field would take this for a value, or for one of its values."""
    try:
        field.clean([text] if isinstance(field, forms.MultipleChoiceField) else text)
    except forms.ValidationError:
        return False
    return bool(text)


def _use(run: Run) -> forms.ChoiceField:
    """Not required: the run may have been imported after the page was made."""
    what = "what was judged relevant" if run.holds_judgments else "imported"
    return forms.ChoiceField(
        label=f"{run.name} ({what})",
        choices=USES,
        initial=DRAWN,
        required=False,
        widget=forms.RadioSelect,
    )


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
