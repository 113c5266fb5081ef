from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection, User
from annotation.models import Guideline
from corpus.models import Query


class JudgmentForm(forms.Form):
    """What the judging page sends. `person` says whose answer it is, where it was kept and is sent later."""

    grade = forms.IntegerField(required=False)
    reason = forms.CharField(required=False)
    note = forms.CharField(required=False, strip=True)
    key = forms.UUIDField()
    replaces = forms.UUIDField(required=False)
    digest = forms.CharField()
    seconds = forms.FloatField(required=False)


class GuidelineForm(forms.Form):
    """The guideline of a facet: its text, and definition and examples of each grade."""

    text = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 10}), help_text="How to judge, in Markdown."
    )
    change = forms.CharField(
        label="What changed",
        required=False,
        max_length=300,
        help_text="For annotators who know the version before.",
    )

    def __init__(self, *args: Any, collection: Collection, guideline: Guideline, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].initial = guideline.text
        if not guideline.version:  # nothing changed yet
            self.fields["change"].widget = forms.HiddenInput()
        self.numbers = range(len(collection.grades))
        for number in reversed(self.numbers):
            said = guideline.grades[number] if number < len(guideline.grades) else {}
            for name in ("definition", "examples"):
                self.fields[f"{name}_{number}"] = forms.CharField(
                    label=f"{number} {collection.grades[number]}: {name}",
                    required=False,
                    initial=said.get(name, ""),
                    widget=forms.Textarea(attrs={"rows": 2}),
                )
        self.order_fields([*(name for name in self.fields if name != "change"), "change"])

    @property
    def grades(self) -> list[dict[str, str]]:
        return [
            {name: self.cleaned_data[f"{name}_{number}"] for name in ("definition", "examples")}
            for number in self.numbers
        ]


class OpenForm(forms.Form):
    """Queries, and the two people who judge them. With nobody chosen, added pairs go to who judged the query before,
    and the others are shared among all annotators.
    """

    queries = forms.ModelMultipleChoiceField(Query.objects.none(), widget=forms.CheckboxSelectMultiple)
    first = forms.ModelChoiceField(
        User.objects.none(), label="First annotator", required=False, empty_label="Share among all annotators"
    )
    second = forms.ModelChoiceField(User.objects.none(), label="Second annotator", required=False, empty_label="")
    with_unchecked_labels = forms.BooleanField(label="Open queries with unchecked labels", required=False)

    def __init__(self, *args: Any, queries: Any, annotators: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["queries"].queryset = queries  # type: ignore[attr-defined]
        for number, name in enumerate(("first", "second")):
            self.fields[name].queryset = annotators  # type: ignore[attr-defined]
            if len(annotators) == 2:
                self.fields[name].initial = annotators[number]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if bool(values.get("first")) != bool(values.get("second")):
            raise forms.ValidationError("Choose both annotators, or neither to share the queries among all.")
        return values

    @property
    def couple(self) -> tuple[User, User] | None:
        first, second = self.cleaned_data["first"], self.cleaned_data["second"]
        return (first, second) if first and second else None


class HandOverForm(forms.Form):
    query = forms.ModelChoiceField(Query.objects.none(), widget=forms.HiddenInput)
    giver = forms.ModelChoiceField(User.objects.none(), widget=forms.HiddenInput)
    taker = forms.ModelChoiceField(User.objects.none(), label="To")

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["query"].queryset = collection.queries.all()  # type: ignore[attr-defined]
        self.fields["giver"].queryset = User.objects.filter(  # type: ignore[attr-defined]
            memberships__collection=collection
        )
        self.fields["taker"].queryset = User.objects.filter(  # type: ignore[attr-defined]
            memberships__in=collection.memberships.judging()
        )
