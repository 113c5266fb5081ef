"""The form that creates a token."""

from __future__ import annotations

from django import forms

from accounts.tokens.models import LONGEST_NAME
from accounts.tokens.scopes import EXPLAINED, TokenScope

LIFETIMES = {"30": "30 days", "90": "90 days", "365": "365 days", "": "No expiry"}
DEFAULT_LIFETIME = "90"


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=LONGEST_NAME,
        help_text="What uses the token, such as: nightly backup of the runs.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        choices=list(EXPLAINED.items()), widget=forms.RadioSelect, initial=TokenScope.READ
    )
    lifetime = forms.ChoiceField(
        label="Expires after",
        choices=list(LIFETIMES.items()),
        required=False,
        initial=DEFAULT_LIFETIME,
    )

    @property
    def days(self) -> int | None:
        lifetime = self.cleaned_data["lifetime"]
        return int(lifetime) if lifetime else None
