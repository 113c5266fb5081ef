from __future__ import annotations

from typing import Any

from django import forms

from release.datasheet import LONGEST_ANSWER, QUESTIONS, SECTIONS
from release.gate import LONGEST_REASON, Finding
from release.models import VERSION, Release


class PublishForm(forms.Form):
    """A version, and for each fault that can be accepted the reason; without a reason it is not accepted."""

    version = forms.CharField(max_length=40, validators=[VERSION], help_text="Such as 1.0, or 1.1-rc1.")
    notes = forms.CharField(
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For readers: what is new, what to know. They are in the README.",
    )
    with_texts = forms.BooleanField(
        label="Include the texts of pooled documents and query papers",
        required=False,
        help_text="Only if you may pass them on. Without them, the release has the documents' ids.",
    )

    with_models = forms.BooleanField(
        label="Include the labels of models as judges",
        required=False,
        help_text="With prompts and raw answers, which may quote documents. In a folder of their own, never in qrels.",
    )

    def __init__(
        self, *args: Any, findings: list[Finding], before: Release | None, has_models: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if not has_models:
            del self.fields["with_models"]
        said = {each["check"]: each["reason"] for each in before.manifest["exceptions"]} if before else {}
        self.faults: list[tuple[Finding, forms.BoundField | None]] = []
        for each in findings:
            if not each.is_fault:
                continue
            name = f"accept_{each.check.key}"
            if each.check.effect:
                self.fields[name] = forms.CharField(
                    label="Reason to accept it",
                    required=False,
                    max_length=LONGEST_REASON,
                    initial=said.get(each.check.key, ""),
                    widget=forms.TextInput(attrs={"form": "publish", "placeholder": "Why it may stay so"}),
                )
            self.faults.append((each, self[name] if each.check.effect else None))
        self.fields["version"].initial = following(before.version) if before else "1.0"
        self.fields["with_texts"].initial = before.manifest["with_texts"] if before else False

    @property
    def values(self) -> dict[str, Any]:
        accepted = {
            name.removeprefix("accept_"): reason
            for name, reason in self.cleaned_data.items()
            if name.startswith("accept_") and reason
        }
        chosen = {name: value for name, value in self.cleaned_data.items() if not name.startswith("accept_")}
        return chosen | {"accept": accepted}


def following(version: str) -> str:
    """1.1 after 1.0 and after 1.0.2"""
    major, minor, *_ = version.partition("-")[0].split(".")
    return f"{major}.{int(minor) + 1}"


class Answer(forms.CharField):
    """What is required is marked so; a sheet may be saved half answered."""

    def validate(self, value: str) -> None:
        pass


class DatasheetForm(forms.Form):
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for question in QUESTIONS.values():
            self.fields[question.key] = Answer(
                label=question.label,
                required=question.required,
                max_length=LONGEST_ANSWER,
                widget=forms.Textarea(attrs={"rows": 2}),
                help_text=question.help,
            )

    @property
    def sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [(title, [self[question.key] for question in questions]) for title, questions in SECTIONS.items()]
