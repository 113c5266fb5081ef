"""Forms of samples, paper types and screenings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import forms

from accounts.models import Collection
from curation.samples.paper_types import MOST_TYPES, TypePlan, type_plans
from curation.samples.services import LONGEST_NAME, SamplePlan, free_name
from curation.samples.strata import FIELD, MOST_PAPERS, PERIOD, TYPE
from curation.screening.services import LONGEST_REASON, RATINGS, Verdict

NEW_TYPES = 3  # empty rows of the form

STRATUM_CHOICES = [
    (PERIOD, "Period"),
    (FIELD, "Field: the first in a document’s list"),
    (TYPE, "Paper type, as screened in an earlier sample"),
]


class SampleForm(forms.Form):
    strata = forms.MultipleChoiceField(
        label="Strata",
        choices=STRATUM_CHOICES,
        initial=[PERIOD],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Every combination is a stratum. Without any, the sample is from all documents.",
    )
    periods = forms.CharField(
        label="Periods",
        max_length=500,
        required=False,
        initial="5",
        help_text="A number of equal periods, such as 5, or years such as 1995-1999, 2000-2004.",
    )
    years = forms.CharField(
        label="Years",
        max_length=20,
        required=False,
        help_text="Only documents of these years, such as 1995-2019. A number of periods is cut "
        "from them.",
    )
    fields_of_study = forms.CharField(
        label="Fields",
        required=False,
        help_text="One field per line, such as Linguistics. Without any, all fields of the corpus.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    per_stratum = forms.IntegerField(
        label="Papers of each stratum", min_value=1, max_value=MOST_PAPERS, initial=20
    )
    exclusions = forms.FileField(
        label="Exclusion list",
        required=False,
        help_text="A text file with one docno per line, plain or gzip, such as the training papers "
        "of an encoder.",
    )
    without = forms.MultipleChoiceField(
        label="Leave out the papers of",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    seed = forms.CharField(
        label="Seed",
        max_length=64,
        required=False,
        help_text="The same seed draws the same papers. The default is the collection’s.",
    )
    name = forms.SlugField(
        label="Name of the sample",
        max_length=LONGEST_NAME,
        help_text="Letters, digits, hyphens and underscores.",
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        names = list(collection.samples.values_list("name", flat=True))
        self.fields["name"].initial = free_name(collection)
        if names:
            self.fields["without"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
        else:
            del self.fields["without"]
            self.fields["strata"].choices = STRATUM_CHOICES[:2]  # type: ignore[attr-defined]

    @property
    def main(self) -> list[forms.BoundField]:
        return [self[name] for name in ("strata", "periods", "per_stratum")]

    @property
    def details(self) -> list[forms.BoundField]:
        """The fields that many samples do not need."""
        names = ("years", "fields_of_study", "exclusions", "without", "seed")
        return [self[name] for name in names if name in self.fields]

    def plan(self) -> SamplePlan:
        """The plan; only a valid form has one."""
        data = self.cleaned_data
        lines = data["fields_of_study"].splitlines()
        by = tuple(data["strata"])
        return SamplePlan(
            by=by,
            per_stratum=data["per_stratum"],
            # The field has a default, which means nothing without the stratum.
            periods=data["periods"] if PERIOD in by else "",
            years=data["years"],
            fields=tuple(line.strip() for line in lines if line.strip()),
            seed=data["seed"],
            without=tuple(data.get("without", ())),
        )


class TypeRow(NamedTuple):
    """A row of the form of paper types. An empty row is for a new type."""

    number: int
    plan: TypePlan


def type_rows(collection: Collection) -> list[TypeRow]:
    plans = [*type_plans(collection), *[TypePlan("")] * NEW_TYPES]
    return [TypeRow(number, plan) for number, plan in enumerate(plans, start=1)]


def posted_type_rows(parameters: Mapping[str, Any]) -> list[TypeRow]:
    """The rows as they were sent, by number. A row without a name is a type to remove."""
    rows = []
    for number in range(1, MOST_TYPES + NEW_TYPES + 1):
        if f"name-{number}" in parameters:
            name = " ".join(parameters[f"name-{number}"].split())
            is_excluded = f"excluded-{number}" in parameters
            key = parameters.get(f"key-{number}", "")
            rows.append(TypeRow(number, TypePlan(name, is_excluded, key)))
    return sorted(rows, key=lambda row: _place(parameters, row.number))


def _place(parameters: Mapping[str, Any], number: int) -> tuple[int, int]:
    """The place of a moved row: its new number, and its old one if two are equal."""
    text = parameters.get(f"position-{number}", "")
    place = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else number
    return place, number


class ScreeningForm(forms.Form):
    """A screener's answer. The service checks the paper type and the facets."""

    paper_type = forms.CharField(
        max_length=30, error_messages={"required": "Choose the paper type."}
    )
    rating = forms.TypedChoiceField(
        choices=[(rating, rating) for rating in RATINGS],
        coerce=int,
        error_messages={"required": "Choose a rating from 1 to 5."},
    )
    facets = forms.CharField(required=False)
    reason = forms.CharField(required=False, max_length=LONGEST_REASON)

    @property
    def problem(self) -> str:
        """The first error as a sentence."""
        return next(str(messages[0]) for messages in self.errors.values())

    def verdict(self) -> Verdict:
        """The verdict; only a valid form has one."""
        data = self.cleaned_data
        return Verdict(
            paper_type=data["paper_type"],
            rating=data["rating"],
            facets=tuple(self.data.getlist("facets")),  # type: ignore[attr-defined]
            reason=data["reason"],
        )
