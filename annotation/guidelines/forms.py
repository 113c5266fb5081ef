"""The admin's forms for guidelines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.http import QueryDict

from annotation.models import LONGEST_REASON, GradeMeaning, Guideline, Opening
from corpus.models import Facet

LONGEST_GRADE_NAME = 30
LONGEST_DEFINITION = 60  # the annotators read it on a button


class GradeForm(forms.Form):
    """A grade under a facet."""

    name = forms.CharField(
        label="Name",
        max_length=LONGEST_GRADE_NAME,
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
    """The next version of a facet's guideline: the instructions, and each of the `grades`."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    instructions = forms.CharField(
        label="Instructions",
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="In Markdown, as are details and examples: **bold**, lists and links.",
        error_messages={"required": "Enter instructions: what the annotators compare."},
    )

    def __init__(
        self, *arguments: Any, current: Guideline | None, grades: Iterable[int], **options: Any
    ) -> None:
        initial = {
            "based_on": current.version if current else 0,
            "instructions": current.instructions if current else None,
        }
        options.setdefault("initial", initial)
        super().__init__(*arguments, **options)
        self.current = current
        data = self.data if self.is_bound else None
        texts = {text["grade"]: dict(text) for text in current.grades} if current else {}
        self.grades = {
            grade: GradeForm(data, prefix=f"grade-{grade}", initial=texts.get(grade))
            for grade in grades
        }

    def is_valid(self) -> bool:
        # Every form is validated, so that all errors show at once.
        grades_valid = [form.is_valid() for form in self.grades.values()]
        return super().is_valid() and all(grades_valid)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        newest = self.current.version if self.current else 0
        based_on = values.get("based_on")
        if based_on is not None and based_on != newest:
            self.add_error(
                None,
                f"Version {newest} was written while you were editing version {based_on}. What you "
                "typed is still here. Compare it with the newest version below, then save again.",
            )
            data = cast(QueryDict, self.data).copy()
            data["based_on"] = str(newest)  # so that saving again works
            self.data = data
        return values

    def instructions_as_typed(self) -> str:
        return _typed(self["instructions"])

    def grades_as_typed(self) -> list[GradeMeaning]:
        """The grades as they stand in the form, for the preview and for the next version."""
        return [
            {
                "grade": grade,
                "name": _typed(form["name"]),
                "definition": _typed(form["definition"]),
                "detail": _typed(form["detail"]),
                "example": _typed(form["example"]),
            }
            for grade, form in self.grades.items()
        ]

    @property
    def changed(self) -> bool:
        if self.current is None:
            return True
        before = (self.current.instructions.strip(), self.current.grades)
        return (self.instructions_as_typed(), self.grades_as_typed()) != before


class ApplyForm(forms.Form):
    """The open queries of the facet that get the newest version, and the reason."""

    queries = forms.CharField(
        label="Queries",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Their ids, one a line. Empty: all that have an earlier version.",
    )
    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="A release publishes it. No judge is shown it.",
        error_messages={"required": "Enter what the new version changes."},
    )
    judge_again = forms.ChoiceField(
        label="Judgments made before",
        choices=[
            ("", "stay, under the version that they were made under"),
            ("yes", "count no longer: both judges judge all pairs again, in a new round"),
        ],
        required=False,
        widget=forms.RadioSelect,
        help_text="In a new round the decisions count no longer, either. Everything is kept.",
    )

    def __init__(self, *arguments: Any, facet: Facet, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.facet = facet

    def clean_judge_again(self) -> bool:
        return bool(self.cleaned_data["judge_again"])

    def clean_queries(self) -> list[str]:
        openings = Opening.objects.filter(query__facet=self.facet).order_by("query__name")
        versions = dict(openings.values_list("query__name", "guideline__version"))
        names = list(dict.fromkeys(self.cleaned_data["queries"].split()))
        wrong = next((name for name in names if name not in versions), None)
        if wrong is not None:
            raise forms.ValidationError(
                f"{wrong} is no open query of this facet. Enter ids as in the qrels."
            )
        newest = self.facet.guidelines.values_list("version", flat=True).first() or 0
        chosen = names or [name for name, version in versions.items() if version < newest]
        if not chosen:
            raise forms.ValidationError("No open query has an earlier version. Enter their ids.")
        return chosen


def _typed(field: forms.BoundField) -> str:
    return str(field.value() or "").replace("\r\n", "\n").strip()
