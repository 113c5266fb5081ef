"""The form of a balanced choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from accounts.models import Collection
from curation.choice.plan import (
    MOST_PAPERS,
    ChoiceError,
    ChoicePlan,
    first_numbers,
    numbers_of,
    read_pins,
    write_pins,
)
from curation.choice.services import state_of
from curation.models.samples import HIGHEST_RATING, LOWEST_RATING

LEAST_RATING = 3
SEVERAL = ("two_facets", "three_facets")


def _docnos(label: str, help_text: str) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, help_text=help_text, widget=area)


class ChoiceForm(forms.Form):
    sample = forms.ChoiceField(label="Sample")
    papers = forms.IntegerField(label="Papers", min_value=1, max_value=MOST_PAPERS)
    two_facets = forms.IntegerField(
        label="Under two facets",
        min_value=0,
        max_value=MOST_PAPERS,
        required=False,
    )
    three_facets = forms.IntegerField(
        label="Under three facets", min_value=0, max_value=MOST_PAPERS, required=False
    )
    least_rating = forms.IntegerField(
        label="Least rating",
        min_value=LOWEST_RATING,
        max_value=HIGHEST_RATING,
        initial=LEAST_RATING,
    )
    seed = forms.CharField(label="Seed", max_length=64)
    pins = _docnos(
        "Pinned papers",
        "One docno per line, with facets behind it if you want these only, such as 12345 method.",
    )
    bars = _docnos("Barred papers", "One docno per line.")

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.collection = collection
        self.facets = list(collection.facets.values_list("key", flat=True))
        samples = list(collection.samples.all())
        sample = self.fields["sample"]
        assert isinstance(sample, forms.ChoiceField)
        sample.choices = [(drawn.name, drawn.name) for drawn in samples]
        if samples and not self.is_bound and "papers" not in self.initial:
            papers = state_of(samples[-1]).papers
            numbers = first_numbers(papers, LEAST_RATING)
            self.initial.update(zip(("papers", "two_facets"), numbers, strict=True))
        self.initial.setdefault("sample", samples[-1].name if samples else "")
        self.initial.setdefault("seed", collection.seed)
        for number, name in enumerate(SEVERAL, start=2):
            if len(self.facets) < number:
                del self.fields[name]
        if self.facets == [""]:
            self.fields["pins"].help_text = self.fields["bars"].help_text

    @property
    def numbers(self) -> list[forms.BoundField]:
        """The fields of a line each; the others are text boxes."""
        return [field for field in self if field.name not in ("pins", "bars")]

    @property
    def lists(self) -> list[forms.BoundField]:
        return [self["pins"], self["bars"]]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if "papers" in values:
            several = [values.get(name) or 0 for name in SEVERAL]
            try:
                values["numbers"] = numbers_of(values["papers"], several)
            except ChoiceError as error:
                raise forms.ValidationError(str(error)) from error
        return values

    def plan(self, changes: Mapping[str, str]) -> ChoicePlan:
        """The plan of a valid form. `changes` can have a docno to `pin`, to `bar` or to `free`."""
        values = self.cleaned_data
        pins = read_pins(values["pins"], self.facets)
        bars = [line.strip() for line in values["bars"].splitlines() if line.strip()]
        for docno in filter(None, map(changes.get, ("pin", "bar", "free"))):
            pins.pop(docno, None)
            bars = [barred for barred in bars if barred != docno]
        if pinned := changes.get("pin"):
            pins[pinned] = ()
        if barred := changes.get("bar"):
            bars.append(barred)
        return ChoicePlan(
            sample=values["sample"],
            numbers=values["numbers"],
            least_rating=values["least_rating"],
            seed=values["seed"],
            pins=pins,
            bars=tuple(dict.fromkeys(bars)),
        )


def form_values(plan: ChoicePlan) -> dict[str, object]:
    """The values of the form that gives this plan."""
    several = dict(zip(SEVERAL, plan.numbers[1:], strict=False))
    return {
        "sample": plan.sample,
        "papers": plan.papers,
        **{name: several.get(name, 0) for name in SEVERAL},
        "least_rating": plan.least_rating,
        "seed": plan.seed,
        "pins": write_pins(plan.pins),
        "bars": "\n".join(plan.bars),
    }
