from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.models import Collection
from corpus.choosing import MOST_QUERIES
from corpus.models import UNFIT, Kind, Sample, Screening
from corpus.screening import new_sample


class SampleForm(forms.ModelForm):
    class Meta:
        model = Sample
        fields = ("first_year", "last_year", "years", "per_period", "least_cited", "seed")

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        sample = Sample.objects.filter(collection=collection).first() or new_sample(collection)
        super().__init__(data, instance=sample)


class ScreeningForm(forms.Form):
    kind = forms.ChoiceField(label="Type of paper", choices=Kind.choices, widget=forms.RadioSelect)

    def __init__(self, data: Any = None, *, facets: Sequence[str], screening: Screening | None) -> None:
        super().__init__(data, initial={"kind": screening.kind} if screening else {})
        self.facets = facets or [""]
        for number, facet in enumerate(self.facets):
            self.fields[f"rating_{number}"] = forms.TypedChoiceField(
                label=facet or "As a query",
                choices=[(each, each) for each in range(1, 6)],
                coerce=int,
                empty_value=None,
                required=False,
                initial=screening.ratings.get(facet) if screening else None,
                widget=forms.RadioSelect,
            )

    @property
    def rating_fields(self) -> list[forms.BoundField]:
        return [self[f"rating_{number}"] for number in range(len(self.facets))]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        kind = values.get("kind", "")
        if kind in UNFIT:
            return {"kind": kind, "ratings": {}}
        ratings = {facet: values.get(f"rating_{number}") for number, facet in enumerate(self.facets)}
        if missing := [facet for facet, rating in ratings.items() if rating is None]:
            raise forms.ValidationError(f"Rate {' and '.join(missing) or 'the paper'} from 1 to 5.")
        return {"kind": kind, "ratings": ratings}


class ChoiceForm(forms.Form):
    """Ticked facets of papers, each as "<docno> <facet>"."""

    chosen = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, papers: Sequence[dict[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        values = [each["value"] for paper in papers for each in paper["facets"] if each["is_open"]]
        self.fields["chosen"].choices = [(value, value) for value in values]  # type: ignore[attr-defined]


class SuggestForm(forms.Form):
    queries = forms.IntegerField(label="Queries in all", min_value=1, max_value=MOST_QUERIES, initial=50)
    from_papers = forms.IntegerField(label="From papers", min_value=1, required=False)
