"""The form of the rule by which queries with low agreement are flagged."""

from __future__ import annotations

from django import forms

from agreement.coefficients import REGISTRY


class RuleForm(forms.Form):
    """Percentages are from 0 to 100, the other coefficients at most 1."""

    coefficient = forms.ChoiceField(
        label="Coefficient",
        required=False,
        choices=[("", "No rule"), *((each.key, each.name) for each in REGISTRY)],
    )
    threshold = forms.FloatField(
        label="Least lower bound",
        error_messages={
            "required": "Enter the least lower bound, such as 0.2.",
            "invalid": "The least lower bound must be a number, such as 0.2.",
        },
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
