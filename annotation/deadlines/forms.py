"""The form of the dates of a collection: one for all pairs, and one for each annotator."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms

from accounts.models import Collection, User
from annotation.deadlines.services import deadlines_of


def _date_field(label: str, initial: date | None, help_text: str = "") -> forms.DateField:
    widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    return forms.DateField(
        label=label, initial=initial, required=False, help_text=help_text, widget=widget
    )


class DeadlinesForm(forms.Form):
    def __init__(
        self, data: Any = None, *, collection: Collection, annotators: Sequence[User]
    ) -> None:
        super().__init__(data)
        now = deadlines_of(collection)
        self.fields["all"] = _date_field(
            "All pairs",
            now.get(None),
            "The last day for judging. Leave it empty if there is none.",
        )
        self._fields_of = {f"of_{person.pk}": person for person in annotators}
        for name, person in self._fields_of.items():
            self.fields[name] = _date_field(person.shown_name, now.get(person.pk))

    def dates(self) -> dict[User | None, date | None]:
        """The date of everyone. Only a valid form has them."""
        dates: dict[User | None, date | None] = {None: self.cleaned_data["all"]}
        for name, person in self._fields_of.items():
            dates[person] = self.cleaned_data[name]
        return dates

    @property
    def has_own_dates(self) -> bool:
        """An annotator has a date of his or her own, or one was entered that is wrong."""
        return any(field.value() for field in self.of_annotators)

    @property
    def of_annotators(self) -> list[forms.BoundField]:
        return [self[name] for name in self._fields_of]
