"""The cost form of the pages about all pools and about their plan."""

from __future__ import annotations

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from pooling import preview


class CostForm(forms.Form):
    """The inputs of the cost estimate."""

    seconds = forms.FloatField(label="Seconds a judgment", min_value=0.1, max_value=3600)
    adjudicated = forms.FloatField(label="Adjudicated, in %", min_value=0, max_value=100)
    rate = forms.FloatField(label="Cost of an hour", min_value=0, max_value=1e6, required=False)

    @classmethod
    def of(cls, parameters: MultiValueDict[str, str], collection: Collection) -> CostForm:
        """Filled in from the URL's parameters, with defaults for missing ones."""
        defaults = {
            "seconds": f"{collection.seconds_per_judgment:g}",
            "adjudicated": f"{100 * preview.ADJUDICATED_SHARE:g}",
            "rate": "",
        }
        return cls({name: parameters.get(name, value) for name, value in defaults.items()})

    def cost(self, *, candidates: int, pairs: int, collection: Collection) -> preview.Cost:
        """The cost; an invalid field has its default."""
        self.full_clean()
        values = self.cleaned_data
        return preview.Cost(
            candidates=candidates,
            pairs=pairs,
            seconds_per_judgment=values.get("seconds", collection.seconds_per_judgment),
            adjudicated_share=values.get("adjudicated", 100 * preview.ADJUDICATED_SHARE) / 100,
            hourly_rate=values.get("rate"),
        )
