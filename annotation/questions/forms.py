"""The form of an answer to a question."""

from __future__ import annotations

from django import forms

from annotation.forms import ANSWERS, AnswerForm

KEEP = "keep"


class QuestionAnswerForm(AnswerForm):
    """An answer to a pair, or "keep" for the judgment that the pair has."""

    answer = forms.ChoiceField(choices=[(answer, answer) for answer in [*ANSWERS, KEEP]])
    question = forms.IntegerField()
