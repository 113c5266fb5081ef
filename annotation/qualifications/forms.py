"""The form that gives or withdraws a qualification."""

from __future__ import annotations

from django import forms

from annotation.models import LONGEST_REASON, Level


class QualificationForm(forms.Form):
    """A level, and why the admin decides about it."""

    level = forms.ChoiceField(choices=Level)
    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        help_text="It is kept. For example: “Annotated for an earlier collection.”",
        error_messages={"required": "Enter why you decide so."},
        widget=forms.Textarea(attrs={"rows": 2}),
    )
