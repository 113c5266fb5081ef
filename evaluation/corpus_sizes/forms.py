"""The form of the page about corpus sizes."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from evaluation.corpus_sizes.report import (
    DRAWS,
    FIELD_SIZE,
    LARGEST,
    MOST_DRAWS,
    MOST_SIZES,
    SIZES,
    CorpusSizesReport,
    offered_retrievers,
    usual_retrievers,
)


class CorpusSizesForm(forms.Form):
    """The parameters of a measurement; `kind` has them as a report."""

    field_size = forms.IntegerField(
        label="Documents of each field",
        min_value=0,
        max_value=LARGEST,
        help_text="Everything that the field’s queries cite, and a sample of what its papers cite. "
        "0 leaves the fields out.",
    )
    sizes = forms.CharField(
        label="Sizes of the whole corpus",
        required=False,
        help_text="Separated by spaces, such as 200000 500000. Empty leaves the whole out.",
    )
    draws = forms.IntegerField(label="Draws of each sample", min_value=1, max_value=MOST_DRAWS)
    retriever = forms.MultipleChoiceField(
        label="Retrievers", widget=forms.CheckboxSelectMultiple, required=True
    )

    def __init__(self, collection: Collection, data: QueryDict | None = None) -> None:
        initial = {
            "field_size": FIELD_SIZE,
            "sizes": " ".join(map(str, SIZES)),
            "draws": DRAWS,
            "retriever": usual_retrievers(collection),
        }
        super().__init__(data, initial=initial, label_suffix="")
        retriever = self.fields["retriever"]
        assert isinstance(retriever, forms.MultipleChoiceField)
        retriever.choices = [(name, name) for name in offered_retrievers(collection)]

    def clean_sizes(self) -> list[int]:
        words = self.cleaned_data["sizes"].replace(",", " ").split()
        if len(words) > MOST_SIZES:
            raise forms.ValidationError(f"Give at most {MOST_SIZES} sizes.")
        for word in words:
            if not word.isdecimal() or not 1 <= int(word[:12]) <= LARGEST:
                raise forms.ValidationError(
                    f"“{word}” is not a size. Enter whole numbers from 1 to {LARGEST:,}."
                )
        return [int(word) for word in words]

    @property
    def kind(self) -> CorpusSizesReport:
        """Of valid values."""
        values = self.cleaned_data
        return CorpusSizesReport(
            values["retriever"], values["field_size"], values["sizes"], values["draws"]
        )
