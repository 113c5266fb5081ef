"""The form of the text, and of a judge's answer to it."""

from __future__ import annotations

from django import forms

from annotation.consent.models import LONGEST_CONSENT_TEXT


class ConsentTextForm(forms.Form):
    text = forms.CharField(
        label="Text",
        max_length=LONGEST_CONSENT_TEXT,
        required=False,
        help_text="Markdown, in the language of your judges. Say what is collected and why, how "
        "long it is kept, what is published, and what happens when a judge withdraws. Leave it "
        "empty to ask for no consent.",
        widget=forms.Textarea(attrs={"rows": 16}),
    )


class AgreeForm(forms.Form):
    version = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)
    then = forms.CharField(max_length=200, required=False, widget=forms.HiddenInput)
