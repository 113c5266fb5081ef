"""The form that creates a token."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from accounts.tokens.models import LONGEST_NAME
from accounts.tokens.scopes import EXPLAINED, TokenScope

LIFETIMES = {
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "365": gettext_lazy("365 days"),
    "": gettext_lazy("No expiry"),
}
DEFAULT_LIFETIME = "90"


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        help_text=gettext_lazy("What uses the token, such as: nightly backup of the runs."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Scope"),
        choices=list(EXPLAINED.items()),
        widget=forms.RadioSelect,
        initial=TokenScope.READ,
    )
    lifetime = forms.ChoiceField(
        label=gettext_lazy("Expires after"),
        choices=list(LIFETIMES.items()),
        required=False,
        initial=DEFAULT_LIFETIME,
    )

    @property
    def days(self) -> int | None:
        lifetime = self.cleaned_data["lifetime"]
        return int(lifetime) if lifetime else None
