"""The forms of the pages about runs and pools."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from pooling import preview


class CostForm(forms.Form):
    """What the hours and their cost are reckoned with; nothing of it is kept."""

    seconds = forms.FloatField(label="Seconds a judgment", min_value=0.1, max_value=3600)
    adjudicated = forms.FloatField(label="Adjudicated, in %", min_value=0, max_value=100)
    rate = forms.FloatField(label="Cost of an hour", min_value=0, max_value=1e6, required=False)

    @classmethod
    def of(cls, given: QueryDict, collection: Collection) -> CostForm:
        """Filled in with what the address says, and else with what is usual."""
        usual = {
            "seconds": f"{collection.seconds_per_judgment:g}",
            "adjudicated": f"{100 * preview.ADJUDICATED_SHARE:g}",
            "rate": "",
        }
        return cls({name: given.get(name, value) for name, value in usual.items()})

    def cost(self, *, candidates: int, pairs: int, collection: Collection) -> preview.Cost:
        """What is wrong in the form counts as not said."""
        self.full_clean()
        said = self.cleaned_data
        return preview.Cost(
            candidates=candidates,
            pairs=pairs,
            seconds_per_judgment=said.get("seconds", collection.seconds_per_judgment),
            adjudicated_share=said.get("adjudicated", 100 * preview.ADJUDICATED_SHARE) / 100,
            hourly_rate=said.get("rate"),
        )
