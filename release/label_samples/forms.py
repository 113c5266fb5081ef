"""The form that draws a sample of the citation labels."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from release.label_samples.services import MOST_PAIRS, PAIRS


class LabelSampleForm(forms.Form):
    slug = forms.SlugField(
        label="Short name of the new collection",
        max_length=60,
        help_text="Lower-case letters, digits and hyphens. Another name draws other pairs.",
    )
    pairs = forms.IntegerField(
        label="Pairs",
        min_value=1,
        max_value=MOST_PAIRS,
        initial=PAIRS,
        help_text="Half of them have the label 1. Each field and type gets at least one pair.",
    )
    facet = forms.ChoiceField(
        label="Facet that people judge",
        help_text="The labels of all facets are the same. Their errors are not.",
    )

    def __init__(self, collection: Collection, data: Any = None) -> None:
        super().__init__(data, initial={"slug": f"{collection.slug}-labels"}, label_suffix="")
        facets = [(facet.key, facet.name) for facet in collection.facets.all()]
        if len(facets) == 1:
            del self.fields["facet"]
        else:
            self.fields["facet"].choices = facets  # type: ignore[attr-defined]

    @property
    def values(self) -> dict[str, Any]:
        """The arguments of `request_sample`."""
        return {"facet": "", **self.cleaned_data}
