from __future__ import annotations

import uuid

from django import forms

NO_GRADE = "none"  # said in words: a form that was sent without a grade must not set a pair aside


class DecisionForm(forms.Form):
    """What the case page sends: `judgments` are the keys of the two that it showed."""

    grade = forms.CharField()
    note = forms.CharField(required=False, strip=True)
    key = forms.UUIDField()
    replaces = forms.UUIDField(required=False)
    judgments = forms.CharField()
    seconds = forms.FloatField(required=False)

    def clean_grade(self) -> int | None:
        grade = self.cleaned_data["grade"]
        return None if grade == NO_GRADE else forms.IntegerField().clean(grade)

    def clean_judgments(self) -> set[uuid.UUID]:
        return {forms.UUIDField().clean(key) for key in self.cleaned_data["judgments"].split()}


class ReopenForm(forms.Form):
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3, "maxlength": 2000}),
        help_text="The adjudicator sees it, such as: the guideline of this facet has changed.",
    )
