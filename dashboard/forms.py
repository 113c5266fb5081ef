from __future__ import annotations

from typing import Any

from django import forms

from accounts.forms import CollectionForm
from annotation.models import Judgment
from pooling.models import PoolSet


class SettingsForm(CollectionForm):
    """What others rest on stays: the seed once pools exist, the number of grades once something is judged."""

    class Meta(CollectionForm.Meta):
        fields = ["name", "description", "licence", "facets", "grades", "relevant_from", "seed"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if PoolSet.objects.filter(collection=self.instance).exists():
            self._fix("seed", "Fixed: pools were drawn with it.")

    def _fix(self, name: str, why: str) -> None:
        self.fields[name].disabled = True
        self.fields[name].help_text = why

    def clean_grades(self) -> list[str]:
        grades = super().clean_grades()
        before = len(self.initial["grades"])
        is_used = Judgment.objects.filter(collection=self.instance).exists() or self.instance.qrels.exists()
        if len(grades) != before and is_used:
            raise forms.ValidationError(
                f"Pairs are judged from 0 to {before - 1}: the scale keeps its {before} grades."
            )
        return grades

    def clean_facets(self) -> list[str]:
        facets = super().clean_facets()
        used = set(self.instance.queries.values_list("facet", flat=True)) - {""}
        if lost := sorted(used - set(facets)):
            raise forms.ValidationError(f"Queries use the facet {lost[0]}, so it stays.")
        return facets
