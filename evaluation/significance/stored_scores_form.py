"""The form of the pages on stored scores: a measure, and what each page chooses beside it."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Mapping

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from evaluation.significance.stored_values import ALL, StoredChoices, values_of
from web.lazy import pandas as pd


class StoredScoresForm(forms.Form):
    """Filled in from the URL's parameters; a missing or unknown one has its default.

    `values` are the stored values of the measure, by query and system, of the facet if the form has
    a field for it. Nothing is saved.
    """

    measure = forms.ChoiceField()

    def __init__(self, parameters: QueryDict, collection: Collection) -> None:
        self.parameters, self.chosen = parameters, dict[str, str]()
        super().__init__(self.chosen)
        choices = StoredChoices.of(collection)
        self.source, self.facet_names = choices.source, choices.facets
        self.chosen_measure = self.offer("measure", choices.measures, choices.usual_measure)
        facet = ALL
        if "facet" in self.fields:
            facet = self.offer("facet", {ALL: "All queries", **choices.facets}, ALL)
            if not any(choices.facets):
                del self.fields["facet"]
        self.values = pd.DataFrame()
        if self.chosen_measure:
            self.values = values_of(collection, self.chosen_measure, facet, self.source)
        self.systems = list(map(str, self.values.columns))
        self.has_scores = bool(self.systems)

    def offer(self, name: str, choices: Group[str] | Mapping[str, str], usual: str) -> str:
        """Offer the values, with their captions if they have other ones; the chosen value."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        captions = choices if isinstance(choices, Mapping) else {each: each for each in choices}
        field.choices = list(captions.items())
        value = self.parameters.get(name, usual)
        self.chosen[name] = value if value in choices else usual
        return self.chosen[name]
