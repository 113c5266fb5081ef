"""The form of a question, which checks the shape of the input; the service checks the rest."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext

from annotation.models import Wording

LONGEST = 10_000  # the number of a sentence


class Numbers(forms.TypedMultipleChoiceField):
    """The numbers of the checked boxes. The service knows which there are."""

    def __init__(self) -> None:
        super().__init__(coerce=int, required=False)

    def validate(self, value: Any) -> None:
        if not all(number.isdecimal() and int(number) <= LONGEST for number in value):
            raise forms.ValidationError(gettext("Choose sentences of the page."))

    def valid_value(self, value: Any) -> bool:
        return bool(str(value).isdecimal())


class QuestionForm(forms.Form):
    wording = forms.ChoiceField(choices=Wording.choices)
    query_sentences = Numbers()
    candidate_sentences = Numbers()
    seen = forms.CharField(max_length=64)
