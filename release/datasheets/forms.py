"""Forms for the answers of a datasheet and for annotators' profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from bundle.datasheet.answers import InvalidAnswer, tidied
from bundle.datasheet.profiles import FIELDS, LEAST
from bundle.datasheet.questions import (
    SECTIONS,
    AnswerKind,
    DatasheetSection,
    Question,
    questions_of,
)


class ShownQuestion(NamedTuple):
    """A question with its field."""

    question: Question
    field: forms.BoundField


class ShownSection(NamedTuple):
    section: DatasheetSection
    questions: list[ShownQuestion]


class DatasheetForm(forms.Form):
    """All questions, or those that a script sends as one goes. No field must be filled in.

    Each answer comes with what it was when the page was made. One that is unchanged is not saved,
    so an old page cannot undo what another admin wrote.
    """

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        address: str,
        dates_known: bool,
        answers: Mapping[str, str],
    ) -> None:
        self.dates_known = dates_known
        super().__init__(data, initial=dict(answers), auto_id="q-%s")
        for question in self._questions():
            self.fields[question.key] = _field_of(question, address)

    def _questions(self) -> Iterator[Question]:
        for section in SECTIONS:
            yield from questions_of(section, dates_known=self.dates_known)

    @property
    def sections(self) -> list[ShownSection]:
        return [
            ShownSection(
                section,
                [
                    ShownQuestion(question, self[question.key])
                    for question in questions_of(section, dates_known=self.dates_known)
                ],
            )
            for section in SECTIONS
        ]

    @property
    def first_missing(self) -> str:
        """The key of the first required question without a stored answer, or ""."""
        missing = (
            question.key
            for question in self._questions()
            if question.required and question.key not in self.initial
        )
        return next(missing, "")

    @property
    def sent(self) -> list[Question]:
        """The questions whose answers were sent."""
        return [question for question in self._questions() if question.key in self.data]

    def clean(self) -> dict[str, Any]:
        """The answers that differ from what they were."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        changed = {}
        for question in self.sent:
            if question.key not in values:
                continue
            try:
                answer = tidied(question.key, values[question.key])
            except InvalidAnswer as error:
                self.add_error(question.key, str(error))
                continue
            was = cast(QueryDict, self.data).get(self.add_initial_prefix(question.key))
            if was is None or answer != _tidied(question.key, was):
                changed[question.key] = answer
        return changed


def _tidied(key: str, text: str) -> str:
    """An earlier answer, which a forged request can make invalid."""
    try:
        return tidied(key, text)
    except InvalidAnswer:
        return text


def _field_of(question: Question, address: str) -> forms.CharField:
    attributes = {
        # Saved as soon as the field is left; the button below works without a script.
        "hx-post": address,
        "hx-trigger": "change",
        "hx-params": f"csrfmiddlewaretoken,{question.key}",
        "hx-target": f"#saved-{question.key}",
        "autocomplete": "off",
        "aria-describedby": f"hint-{question.key} saved-{question.key}",
    }
    widget: forms.Widget
    if question.kind in (AnswerKind.LINE, AnswerKind.DATE):
        widget = forms.TextInput(attrs=attributes)
    else:
        widget = forms.Textarea(attrs=attributes | {"rows": 3})
    return forms.CharField(
        label=question.label,
        required=False,
        strip=False,
        show_hidden_initial=True,
        widget=widget,
    )


class ThresholdForm(forms.Form):
    least_people = forms.IntegerField(
        label="Smallest group shown",
        min_value=LEAST,
        max_value=100,
        help_text="Answers that fewer people gave are not shown, here and in releases.",
    )


class ProfileForm(forms.Form):
    """The fields that a person may fill in, each a choice of ranges, and the consent."""

    consent = forms.BooleanField(
        label=gettext_lazy(
            "I agree that these answers are counted and published as described above."
        ),
        error_messages={
            "required": gettext_lazy("Without your consent the answers cannot be saved.")
        },
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for field in FIELDS:
            self.fields[field.key] = forms.ChoiceField(
                label=gettext(field.label),
                required=False,
                choices=[
                    ("", gettext("No answer")),
                    *((value, gettext(words)) for value, words in field.choices),
                ],
            )
        self.order_fields([*(field.key for field in FIELDS), "consent"])

    @property
    def values(self) -> dict[str, str]:
        return {field.key: self.cleaned_data[field.key] for field in FIELDS}
