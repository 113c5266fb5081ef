"""Forms of the judging page, which check the shape of the input; the services check the rest."""

from __future__ import annotations

from django import forms

from accounts.models import HIGHEST_GRADE
from annotation.models import Reason
from annotation.services import Answer

CANNOT = "cannot"
# The service checks that the grade is on the scale of the collection.
ANSWERS = [*(str(grade) for grade in range(HIGHEST_GRADE + 1)), CANNOT]


class NumbersField(forms.Field):
    """Whole numbers from check boxes of one name. The service checks that the query has them."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: list[str] | None) -> tuple[int, ...]:
        texts = value or []
        if not all(len(text) <= 4 and text.isascii() and text.isdigit() for text in texts):
            raise forms.ValidationError("Invalid number.")
        return tuple(sorted({int(text) for text in texts}))


class AnswerForm(forms.Form):
    """An answer to a pair. `answer` is a grade or "cannot"."""

    answer = forms.ChoiceField(choices=[(answer, answer) for answer in ANSWERS])
    reason = forms.ChoiceField(choices=Reason.offered(), required=False)
    note = forms.CharField(required=False, max_length=4000)
    aspects = NumbersField(required=False)
    details = forms.CharField(required=False, max_length=9)  # the box's value, if it is ticked
    presentation = forms.CharField(max_length=64)
    supersedes = forms.UUIDField(required=False)
    key = forms.UUIDField()
    seconds = forms.FloatField(required=False, min_value=0, max_value=24 * 3600)

    def to_answer(self) -> Answer:
        """The answer; only a valid form has one."""
        data = self.cleaned_data
        if data["answer"] == CANNOT:
            return Answer(reason=data["reason"], note=data["note"])
        grade = int(data["answer"])
        # A person without the script may have ticked a box before deciding that nothing matches.
        aspects = data["aspects"] if grade else ()
        details_alike = bool(aspects and data["details"])
        return Answer(grade, note=data["note"], aspects=aspects, details_alike=details_alike)
