"""The form in which a person chooses mails."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from notices.models import Frequency, MailChoice, NoticeKind


class MailChoiceForm(forms.Form):
    frequency = forms.ChoiceField(
        label=gettext_lazy("How often"), choices=Frequency.choices, widget=forms.RadioSelect
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("What about"),
        choices=NoticeKind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    @classmethod
    def initial_of(cls, choice: MailChoice) -> dict[str, object]:
        return {"frequency": choice.frequency, "kinds": sorted(choice.kinds)}

    def values(self) -> dict[str, object]:
        """The columns of a MailChoice. Only a valid form has them."""
        kinds = {kind: kind in self.cleaned_data["kinds"] for kind in NoticeKind.values}
        return {"frequency": self.cleaned_data["frequency"], **kinds}
