"""The admin's forms about judging: opening queries, seats, guidelines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.http import QueryDict

from accounts.models import Collection, User
from annotation.board import eligible_annotators
from annotation.models import GRADES, Guideline
from corpus.models import Query

LONGEST_DEFINITION = 60  # the annotators read it on a button


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
            "invalid_choice": "%(value)s is open already or cannot be opened; "
            "reload the page to see how it stands.",
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
            self.add_error("second", f"{first.shown_name} is the first annotator; choose another.")
        return cleaned

    def ticked(self) -> set[str]:
        """The names of the queries that were ticked, also when the form is wrong."""
        if not self.is_bound:
            return set()
        return set(cast(QueryDict, self.data).getlist("queries"))


class ReassignForm(forms.Form):
    """Who takes the seat over."""

    annotator = PersonField(
        label="New annotator",
        queryset=User.objects.none(),
        empty_label="Choose…",
        error_messages={"required": "Choose who takes the seat over."},
    )

    def __init__(
        self, *arguments: Any, collection: Collection, taken: Iterable[int], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        _offer(self, "annotator", eligible_annotators(collection).exclude(pk__in=list(taken)))

    @property
    def has_choice(self) -> bool:
        field = self.fields["annotator"]
        assert isinstance(field, forms.ModelChoiceField)
        return bool(field.queryset is not None and field.queryset.exists())


def _offer(form: forms.Form, name: str, rows: Any) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows


class GradeForm(forms.Form):
    """One grade under one facet."""

    name = forms.CharField(
        label="Name",
        max_length=30,
        error_messages={"required": "Give the grade a name of one or two words."},
    )
    definition = forms.CharField(
        label="Definition in one line",
        max_length=LONGEST_DEFINITION,
        help_text=f"On the button: at most {LONGEST_DEFINITION} characters.",
        error_messages={
            "required": "Say in one line when to give this grade.",
            "max_length": f"This has %(show_value)d characters; {LONGEST_DEFINITION} fit on the "
            "button. Move the rest to the detail.",
        },
    )
    detail = forms.CharField(
        label="Detail",
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Opens beside the pair when an annotator asks for it.",
    )
    example = forms.CharField(
        label="Example", required=False, widget=forms.Textarea(attrs={"rows": 5})
    )


class GuidelineForm(forms.Form):
    """The next version of a facet's guideline: the instructions, and the four grades in it."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    instructions = forms.CharField(
        label="Instructions",
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="An empty line begins a new paragraph.",
        error_messages={"required": "Tell the annotators what to compare."},
    )

    def __init__(self, *arguments: Any, current: Guideline | None, **options: Any) -> None:
        options.setdefault("initial", _as_typed(current))
        super().__init__(*arguments, **options)
        self.current = current
        data = self.data if self.is_bound else None
        texts = current.grades if current else [{}] * len(GRADES)
        self.grades = {
            grade: GradeForm(data, prefix=f"grade-{grade}", initial=text)
            for grade, text in zip(GRADES, texts, strict=True)
        }

    def is_valid(self) -> bool:
        # Every part is asked, so that all that is wrong is said at once.
        whole = [form.is_valid() for form in self.grades.values()]
        return super().is_valid() and all(whole)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        newest = self.current.version if self.current else 0
        based_on = cleaned.get("based_on")
        if based_on is not None and based_on != newest:
            self.add_error(
                None,
                f"Version {newest} was written while you were editing version {based_on}. What you "
                "typed is still here. Compare it with the newest version below, then save again.",
            )
            data = cast(QueryDict, self.data).copy()
            data["based_on"] = str(newest)  # a second try is meant
            self.data = data
        return cleaned

    def instructions_as_typed(self) -> str:
        return str(self["instructions"].value() or "").replace("\r\n", "\n").strip()

    def grades_as_typed(self) -> list[dict[str, Any]]:
        """The grades as they stand in the form, for the preview and for the next version."""
        return [
            {
                "grade": grade,
                **{
                    name: str(form[name].value() or "").replace("\r\n", "\n").strip()
                    for name in form.fields
                },
            }
            for grade, form in self.grades.items()
        ]

    @property
    def changed(self) -> bool:
        if self.current is None:
            return True
        before = (self.current.instructions.strip(), self.current.grades)
        return (self.instructions_as_typed(), self.grades_as_typed()) != before


def _as_typed(current: Guideline | None) -> dict[str, Any]:
    if current is None:
        return {"based_on": 0}
    return {"based_on": current.version, "instructions": current.instructions}
