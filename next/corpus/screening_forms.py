from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django import forms

from accounts.models import Collection
from corpus.choosing import MOST_QUERIES
from corpus.models import Sample, Unfit
from corpus.screening import period_name, usual_periods
from web.forms import LinesField

PERIOD = re.compile(r"(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?", re.ASCII)
RATINGS = range(1, 6)
MOST_TYPES = 12


class PeriodsField(LinesField):
    """First and last years, such as [[1995, 1999], [2000, 2004]], one period a line."""

    def to_python(self, value: Any) -> list[list[int]]:  # type: ignore[override]
        periods = []
        for line in super().to_python(value):
            found = PERIOD.fullmatch(line)
            if not found or int(found[1]) > int(found[2] or found[1]):
                raise forms.ValidationError(f"Write a period as 1995-1999, got “{line}”.")
            periods.append([int(found[1]), int(found[2] or found[1])])
        periods.sort()
        for before, after in pairwise(periods):
            if after[0] <= before[1]:
                raise forms.ValidationError(f"{period_name(before)} and {period_name(after)} overlap.")
        return periods

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(period_name, value)) if isinstance(value, list) else value


class SampleForm(forms.ModelForm):
    periods = PeriodsField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One a line, such as 1995-1999. Leave empty if years do not matter.",
    )
    types = LinesField(
        label="Types of paper",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One a line. Surveys are left out: they need no type.",
    )

    class Meta:
        model = Sample
        fields = ("periods", "per_period", "least_cited", "seed", "types")

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        sample = Sample.objects.filter(collection=collection).first()
        if sample is None:
            sample = Sample(collection=collection, periods=usual_periods(collection), seed=collection.seed)
        super().__init__(data, instance=sample)

    def clean_types(self) -> list[str]:
        types = list(dict.fromkeys(self.cleaned_data["types"]))
        if len(types) > MOST_TYPES or any(len(each) > 100 for each in types):
            raise forms.ValidationError(f"At most {MOST_TYPES} types of at most 100 characters.")
        return types


class ScreeningForm(forms.Form):
    """`kind` is a type of paper, or why the paper is unfit; each facet has a rating, or the paper as a whole."""

    kind = forms.ChoiceField(label="Type of paper", widget=forms.RadioSelect)

    def __init__(self, *args: Any, types: Sequence[str], facets: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.types, self.facets = types, facets or [""]
        self.fields["kind"].choices = [*((each, each) for each in types), *Unfit.choices]  # type: ignore[attr-defined]
        for number, facet in enumerate(self.facets):
            self.fields[f"rating_{number}"] = forms.TypedChoiceField(
                label=facet or "As a query",
                choices=[(each, each) for each in RATINGS],
                coerce=int,
                empty_value=None,
                required=False,
                widget=forms.RadioSelect,
            )

    @property
    def ratings(self) -> list[forms.BoundField]:
        return [self[f"rating_{number}"] for number in range(len(self.facets))]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        kind = values.get("kind", "")
        if kind in self.types:
            ratings = {facet: values.get(f"rating_{number}") for number, facet in enumerate(self.facets)}
            if missing := [facet for facet, rating in ratings.items() if rating is None]:
                raise forms.ValidationError(f"Rate {' and '.join(missing) or 'the paper'} from 1 to 5.")
            return {"paper_type": kind, "unfit": "", "ratings": ratings}
        return {"paper_type": "", "unfit": kind, "ratings": {}}


class ChoiceForm(forms.Form):
    """Ticked facets of papers, each as "<key of the document> <facet>"."""

    chosen = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, papers: Sequence[dict[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        values = [each["value"] for paper in papers for each in paper["facets"] if each["is_open"]]
        self.fields["chosen"].choices = [(value, value) for value in values]  # type: ignore[attr-defined]


class SuggestForm(forms.Form):
    queries = forms.IntegerField(label="Queries in all", min_value=1, max_value=MOST_QUERIES, initial=50)
    from_papers = forms.IntegerField(label="From papers", min_value=1, required=False)
    keep = forms.BooleanField(label="Keep what is ticked", required=False)
