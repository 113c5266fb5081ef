"""Forms to find a person, and to confirm an erasure."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import User

PLAIN = {"autocomplete": "off", "autocapitalize": "none"}


class FindPersonForm(forms.Form):
    login = forms.CharField(
        label="Username or email",
        max_length=254,
        help_text="Such as mara@papers. An email must be confirmed.",
        widget=forms.TextInput(attrs=PLAIN),
    )


class ErasePersonForm(forms.Form):
    typed = forms.CharField(max_length=150, widget=forms.TextInput(attrs=PLAIN))

    def __init__(self, *args: Any, person: User) -> None:
        super().__init__(*args)
        self.fields["typed"].label = f"Type {person.username} to confirm"
