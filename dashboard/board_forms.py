"""The admin's forms that open queries and reassign seats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.http import QueryDict

from accounts.models import Collection, User
from corpus.models import Query
from dashboard.annotators import eligible_annotators


class PersonField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        name = obj.shown_name
        return name if name == obj.username else f"{name} ({obj.username})"


class OpenForm(forms.Form):
    """Which queries to open, and for which two annotators."""

    queries = forms.ModelMultipleChoiceField(
        queryset=Query.objects.none(),
        to_field_name="name",
        error_messages={
            "required": "Tick at least one query to open.",
            "invalid_choice": "%(value)s is open already or cannot be opened. "
            "Reload the page to see its state.",
        },
    )
    first = PersonField(
        label="First annotator",
        queryset=User.objects.none(),
        empty_label="Choose…",
        error_messages={"required": "Choose the first annotator."},
    )
    second = PersonField(
        label="Second annotator",
        queryset=User.objects.none(),
        empty_label="Choose…",
        error_messages={"required": "Choose the second annotator."},
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        people = eligible_annotators(collection)
        _offer(self, "queries", collection.queries.filter(opening=None).select_related("facet"))
        _offer(self, "first", people)
        _offer(self, "second", people)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        first = cleaned.get("first")
        if first is not None and first == cleaned.get("second"):
            self.add_error(
                "second", f"{first.shown_name} is the first annotator already. Choose another."
            )
        return cleaned

    def ticked(self) -> set[str]:
        """The names of the queries that were ticked, also when the form is wrong."""
        if not self.is_bound:
            return set()
        return set(cast(QueryDict, self.data).getlist("queries"))


class ReassignForm(forms.Form):
    """The new annotator of a seat."""

    annotator = PersonField(
        label="New annotator",
        queryset=User.objects.none(),
        empty_label="Choose…",
        error_messages={"required": "Choose the new annotator."},
    )

    def __init__(
        self, *arguments: Any, collection: Collection, seated: Iterable[int], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        _offer(self, "annotator", eligible_annotators(collection).exclude(pk__in=list(seated)))

    @property
    def has_choice(self) -> bool:
        field = self.fields["annotator"]
        assert isinstance(field, forms.ModelChoiceField)
        return bool(field.queryset is not None and field.queryset.exists())


def _offer(form: forms.Form, name: str, rows: Any) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows
