"""The filters of the record."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.actions.kinds import ActionKind, ActionWay
from accounts.actions.reading import ActionChoice

DAY = {"type": "date"}


class RecordFilterForm(forms.Form):
    """Sent with GET. An invalid value is named beside its field, and then filters nothing."""

    kind = forms.ChoiceField(
        label="Action", required=False, choices=[("", "All actions"), *ActionKind.choices]
    )
    person = forms.CharField(label="Done by", required=False, max_length=150)
    way = forms.ChoiceField(
        label="Way", required=False, choices=[("", "All ways"), *ActionWay.choices]
    )
    since = forms.DateField(label="First day", required=False, widget=forms.DateInput(attrs=DAY))
    until = forms.DateField(label="Last day", required=False, widget=forms.DateInput(attrs=DAY))

    @property
    def choice(self) -> ActionChoice:
        self.is_valid()
        values: dict[str, Any] = self.cleaned_data
        return ActionChoice(**{name: value for name, value in values.items() if value})
