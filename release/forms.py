"""The form that publishes a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from release.accepted_findings import LONGEST_REASON, NONE_ACCEPTED
from release.errors import ReleaseError
from release.gate import Finding, blocking_findings
from release.options import DEFAULT_OPTIONS, LabelSource, ReleaseOptions, Texts
from release.services import check_request

TEXTS = [
    (Texts.POOLED.value, "Titles and abstracts of the query papers and candidates"),
    (Texts.CORPUS.value, "Titles and abstracts of the whole corpus"),
    (Texts.NONE.value, "Document ids only"),
]
LABELS = [
    (LabelSource.JUDGED.value, "Final labels of the judgments"),
    (LabelSource.CITATIONS.value, "Citations: cited papers are relevant, without any judgment"),
]


class PublishForm(forms.Form):
    """A version, what it contains, and the findings of the gate that are published against.

    Each finding that can be accepted has a field for the reason. What is not chosen is as in
    `DEFAULT_OPTIONS`.
    """

    version = forms.CharField(
        label="Version",
        max_length=40,
        help_text="Like 1.0 or v1.0.0. It can be used once and never changes.",
        error_messages={"required": "Enter a version, like 1.0."},
    )

    texts = forms.ChoiceField(
        label="Texts",
        choices=TEXTS,
        widget=forms.RadioSelect,
        required=False,
        initial=DEFAULT_OPTIONS.texts.value,
        help_text="A release may contain texts only if their licence allows it.",
    )
    labels = forms.ChoiceField(
        label="Labels",
        choices=LABELS,
        widget=forms.RadioSelect,
        required=False,
        initial=DEFAULT_OPTIONS.labels.value,
    )

    def __init__(
        self,
        *arguments: Any,
        collection: Collection,
        findings: Iterable[Finding],
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.collection = collection
        self.findings = tuple(findings)
        for found in self.findings:
            if found.can_accept and not found.ok:
                self.fields[reason_name(found.check)] = forms.CharField(
                    label="Why do you publish in spite of it?",
                    required=False,
                    max_length=LONGEST_REASON,
                    help_text="The release states your reason. Name no person.",
                )

    def accepted(self) -> dict[str, str]:
        """The checks whose findings were ticked as accepted, each with what was written."""
        if not self.is_bound:
            return {}
        data = cast(QueryDict, self.data)
        ticked = set(data.getlist("accept"))
        return {
            found.check: data.get(reason_name(found.check), "")
            for found in self.findings
            if not found.ok and found.check in ticked
        }

    def options(self) -> ReleaseOptions:
        """What was chosen, of a valid form."""
        return options_of(self.cleaned_data)

    def clean_version(self) -> str:
        version: str = self.cleaned_data["version"]
        try:
            check_request(collection=self.collection, version=version, accept=NONE_ACCEPTED)
        except ReleaseError as error:
            raise forms.ValidationError(str(error)) from error
        return version

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for check, reason in self.accepted().items():
            name = reason_name(check)
            if name in self.fields and name not in self.errors and not reason.strip():
                self.add_error(name, "Write why you publish in spite of this finding.")
        if count := len(self.blocking()):
            found = "1 finding below is" if count == 1 else f"{count} findings below are"
            self.add_error(None, f"Nothing was published: {found} neither fixed nor accepted.")
        return cleaned

    def blocking(self) -> set[str]:
        """The checks neither fixed nor accepted; none before the form is sent."""
        if not self.is_bound:
            return set()
        return {found.check for found in blocking_findings(self.findings, self.accepted())}


def reason_name(check: str) -> str:
    return f"reason-{check}"


def options_of(values: Mapping[str, Any]) -> ReleaseOptions:
    """The options that a form sent. Missing and unknown values are the default."""
    given = {
        "texts": values.get("texts") or DEFAULT_OPTIONS.texts.value,
        "labels": values.get("labels") or DEFAULT_OPTIONS.labels.value,
    }
    try:
        return ReleaseOptions.from_json(given)
    except ValueError:
        return DEFAULT_OPTIONS


def next_version(versions: Iterable[str]) -> str:
    """A version to suggest: the newest with its last number one higher, or 1.0."""
    newest = next(iter(versions), "")
    counted = re.fullmatch(r"(.*?)(\d+)", newest)
    if counted is None:
        return "1.0"
    return f"{counted[1]}{int(counted[2]) + 1}"
