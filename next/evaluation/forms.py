from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection


class RankingForm(forms.Form):
    file = forms.FileField(help_text='As CSFCube\'s scripts read it: {"paper": [["docno", score], …], …}, best first.')
    name = forms.CharField(max_length=100, help_text="As tables name the system, such as specter. Add a file a facet.")
    facet = forms.ChoiceField(help_text="Of the queries that the file ranks.")

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["facet"].choices = [(facet, facet) for facet in collection.facets]  # type: ignore[attr-defined]
