"""Forms of help requests, which check the shape of the input; the services check the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import LONGEST_HELP_TEXT, GradeMeaning

TO_ALL = "all"


class AskForm(forms.Form):
    """A judge's question to the admin. `guideline` is ticked if it is not about this pair alone."""

    text = forms.CharField(
        label=gettext_lazy("Your question"),
        max_length=LONGEST_HELP_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": gettext_lazy("Enter your question.")},
    )
    guideline = forms.BooleanField(
        label=gettext_lazy("It is about the guideline, not about this pair alone"), required=False
    )
    key = forms.UUIDField(widget=forms.HiddenInput)


class HelpAnswerForm(forms.Form):
    answer = forms.CharField(
        label="Your answer",
        max_length=LONGEST_HELP_TEXT,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="In Markdown. Explain what the guideline means. Do not say what another person "
        "answered, nor which grade you expect.",
        error_messages={"required": "Enter your answer."},
    )
    audience = forms.ChoiceField(
        label="Readers",
        choices=[("", "only the person who asked"), (TO_ALL, "all judges of this facet")],
        required=False,
        widget=forms.RadioSelect,
        help_text="All judges read the answer alone, without the question and the pair.",
    )

    def clean_audience(self) -> bool:
        """True if it is for all judges of the facet."""
        return str(self.cleaned_data["audience"]) == TO_ALL


class ExampleForm(forms.Form):
    """The beginning of the form of the next version: the grade whose example it changes."""

    grade = forms.ChoiceField(label="Example of grade")
    shows_pair = forms.BooleanField(
        label="Begin with the titles of this pair",
        required=False,
        help_text="Only a pair with a final label can be an example, because its judges read it.",
    )

    def __init__(
        self, *arguments: Any, grades: Sequence[GradeMeaning], has_pair: bool, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.fields["grade"].choices = [  # type: ignore[attr-defined]  # it is a ChoiceField
            (grade["grade"], f"{grade['grade']} {grade['name']}") for grade in reversed(grades)
        ]
        if not has_pair:
            del self.fields["shows_pair"]
