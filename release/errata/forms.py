"""The forms of a report and of its answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from release.errata.models import LONGEST_ID, LONGEST_TEXT

AS_TYPED = {"autocomplete": "off", "spellcheck": "false"}


def _public_answer(help_text: str, rows: int) -> forms.CharField:
    return forms.CharField(
        label="Public answer",
        max_length=LONGEST_TEXT,
        help_text=f"{help_text} Everybody can read it.",
        error_messages={"required": "Enter the answer, which is published."},
        widget=forms.Textarea(attrs={"rows": rows}),
    )


class ReportForm(forms.Form):
    query = forms.CharField(
        label="Query",
        max_length=LONGEST_ID,
        help_text="Its id as in the qrels.",
        error_messages={"required": "Enter the id of the query."},
        widget=forms.TextInput(attrs=AS_TYPED),
    )
    docno = forms.CharField(
        label="Document",
        max_length=200,
        required=False,
        help_text="Its id as in the qrels. Leave it empty if your report is about the whole query.",
        widget=forms.TextInput(attrs=AS_TYPED),
    )
    problem = forms.CharField(
        label="What is wrong?",
        max_length=LONGEST_TEXT,
        help_text="For example: “This is a duplicate of document 4711.” Only the admins of the "
        "collection read it.",
        error_messages={"required": "Describe what is wrong."},
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    email = forms.EmailField(
        label="Your email address",
        max_length=254,
        required=False,
        help_text="Only for questions of the admins. It is never published.",
    )


class DeclineForm(forms.Form):
    """Many reports, with one answer: those ticked, or all that match the filter of the page."""

    ids = forms.TypedMultipleChoiceField(coerce=int, required=False)
    everything = forms.BooleanField(required=False)
    up_to = forms.IntegerField(min_value=0, max_value=2**63 - 1)
    answer = _public_answer(
        "Why these reports are not errors, like “The report names no error.”", rows=3
    )

    def __init__(self, *args: Any, shown: Iterable[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["ids"].choices = [(pk, pk) for pk in shown]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if "ids" in cleaned and not cleaned["ids"] and not cleaned.get("everything"):
            raise forms.ValidationError("Tick the reports to decline.")
        return cleaned


class SettleForm(forms.Form):
    accept = forms.TypedChoiceField(
        label="Decision",
        choices=[("yes", "Accept: it is an error"), ("no", "Decline: it is not an error")],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose whether you accept the report."},
    )
    answer = _public_answer(
        "The error and what you do about it, like “The document is a duplicate. It will be "
        "removed.” Or why it is not an error.",
        rows=4,
    )
