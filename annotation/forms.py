"""Forms of the judging page, which check the shape of the input; the services check the rest."""

from __future__ import annotations

from django import forms

from accounts.models import HIGHEST_GRADE
from annotation.models import Reason
from annotation.services import Answer

CANNOT = "cannot"
# The service checks that the grade is on the scale of the collection.
ANSWERS = [*(str(grade) for grade in range(HIGHEST_GRADE + 1)), CANNOT]


class AnswerForm(forms.Form):
    """An answer to a pair. `answer` is a grade or "cannot"."""

    answer = forms.ChoiceField(choices=[(answer, answer) for answer in ANSWERS])
    reason = forms.ChoiceField(choices=Reason.offered(), required=False)
    note = forms.CharField(required=False, max_length=4000)
    presentation = forms.CharField(max_length=64)
    supersedes = forms.UUIDField(required=False)
    key = forms.UUIDField()
    seconds = forms.FloatField(required=False, min_value=0, max_value=24 * 3600)

    def to_answer(self) -> Answer:
        """The answer; only a valid form has one."""
        data = self.cleaned_data
        if data["answer"] == CANNOT:
            return Answer(reason=data["reason"], note=data["note"])
        return Answer(grade=int(data["answer"]), note=data["note"])
