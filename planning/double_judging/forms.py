"""The form of the page that plans the judging."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

LARGEST = 10_000_000


class JudgingBudgetForm(forms.Form):
    """A budget, the pairs to spend it on, and what an answer takes. Nothing is saved."""

    hours = forms.FloatField(label="Budget in hours", min_value=0, max_value=LARGEST)
    pairs = forms.IntegerField(label="Pairs to judge", min_value=1, max_value=LARGEST)
    seconds = forms.FloatField(label="Seconds a judgment", min_value=0.1, max_value=3600)
    rate = forms.FloatField(label="Cost of an hour", min_value=0, max_value=1e6, required=False)

    def __init__(self, parameters: QueryDict, *, hours: float, pairs: int, seconds: float) -> None:
        """Filled in from the URL's parameters, with these defaults for missing ones."""
        hours = float(f"{hours:.3g}")  # as it is shown
        defaults = {"hours": f"{hours:g}", "pairs": str(pairs), "seconds": f"{seconds:g}"}
        super().__init__(
            {name: parameters.get(name, defaults.get(name, "")) for name in self.base_fields}
        )
        self.full_clean()
        self._defaults: dict[str, float] = {"hours": hours, "pairs": pairs, "seconds": seconds}

    def number(self, name: str) -> float:
        """The value of a field; its default if it is invalid."""
        value: float = self.cleaned_data.get(name, self._defaults[name])
        return value

    @property
    def cost_of_an_hour(self) -> float | None:
        return self.cleaned_data.get("rate")
