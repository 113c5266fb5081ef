"""The form that publishes a release."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from bundle.errors import ReleaseError
from bundle.findings import Finding
from bundle.options import DEFAULT_OPTIONS, LabelSource, ReleaseOptions, Texts
from release.gate.acceptance import LONGEST_REASON, NONE_ACCEPTED, Reasons
from release.gate.checks import blocking_findings
from release.gate.stored_reports import OldReport
from release.services import check_request


@dataclass(frozen=True)
class PreviousChoices:
    """The choices for the newest version, and the reasons by the accepted check."""

    version: str = ""
    options: ReleaseOptions = DEFAULT_OPTIONS
    reasons: Reasons = field(default_factory=dict)

    @classmethod
    def of(cls, collection: Collection) -> PreviousChoices:
        newest = collection.releases.defer("manifest").first()
        if newest is None:
            return cls()
        chosen = (newest.summary or {}).get("options")
        options = ReleaseOptions.from_json(chosen) if chosen else DEFAULT_OPTIONS
        reasons = newest.exceptions.values_list("check_name", "reason")
        return cls(newest.version, options, dict(reasons))


NO_CHOICES = PreviousChoices()
FORM_ID = "publish-form"
TEXTS = [
    (Texts.POOLED.value, "Titles and abstracts of the queries and candidates"),
    (Texts.CORPUS.value, "Titles and abstracts of the whole corpus"),
    (Texts.NONE.value, "Document ids only"),
]
LABELS = [
    (LabelSource.JUDGED.value, "Final labels of the judgments"),
    (LabelSource.CITATIONS.value, "Citations: cited papers are relevant, without any judgment"),
]


class PublishForm(forms.Form):
    """A version, what it contains, and the findings of the gate that are published against.

    Each finding that can be accepted has a field for the reason. The form starts with the choices
    and reasons of `previous`. What is not chosen in a sent form is as in `DEFAULT_OPTIONS`.
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
        help_text="A release may contain texts only if their licence allows it. Without the texts "
        "of the whole corpus, its users cannot search the corpus or build the pools again. With "
        "ids only, they need the texts from elsewhere before they can run a system.",
    )
    labels = forms.ChoiceField(
        label="Labels",
        choices=LABELS,
        widget=forms.RadioSelect,
        required=False,
    )

    model_labels = forms.MultipleChoiceField(
        label="Labels of models",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="They are in a folder of their own, model_labels/, and in no other file. "
        "Annotators who still judge could read them there.",
    )

    def __init__(
        self,
        *arguments: Any,
        collection: Collection,
        gate: tuple[Sequence[Finding], Sequence[OldReport]],
        previous: PreviousChoices = NO_CHOICES,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.collection = collection
        self.findings, self.old_reports = gate
        self.previous = previous
        self.initial.setdefault("texts", previous.options.texts.value)
        self.initial.setdefault("labels", previous.options.labels.value)
        self.initial.setdefault("model_labels", list(previous.options.model_labels))
        models = collection.shadow_judges.filter(labels_count__gt=0).order_by("name")
        names = models.values_list("name", flat=True)
        if names:
            field = self.fields["model_labels"]
            assert isinstance(field, forms.MultipleChoiceField)
            field.choices = [(name, name) for name in names]
        else:
            del self.fields["model_labels"]
        for found in self.findings:
            if found.can_accept and not found.ok:
                self.fields[reason_name(found.check)] = forms.CharField(
                    label="Why do you publish in spite of it?",
                    required=False,
                    initial=previous.reasons.get(found.check, ""),
                    max_length=LONGEST_REASON,
                    help_text="The release states your reason. Name no person.",
                    # Outside the form, above it, beside the buttons that fix a finding.
                    widget=forms.TextInput(attrs={"form": FORM_ID}),
                )

    def accepted(self) -> dict[str, str]:
        """The checks whose findings are ticked as accepted, each with its reason."""
        reasons = dict(self.previous.reasons)
        if self.is_bound:
            data = cast(QueryDict, self.data)
            reasons = {check: data.get(reason_name(check), "") for check in data.getlist("accept")}
        return {
            found.check: reasons[found.check]
            for found in self.findings
            if not found.ok and found.check in reasons
        }

    def options(self) -> ReleaseOptions:
        """The choices of a valid form."""
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
            found = "1 finding above is" if count == 1 else f"{count} findings above are"
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
    models = values.get("model_labels")
    if isinstance(values, QueryDict):
        models = values.getlist("model_labels")
    given = {
        "texts": values.get("texts") or DEFAULT_OPTIONS.texts.value,
        "labels": values.get("labels") or DEFAULT_OPTIONS.labels.value,
        "model_labels": models,
    }
    try:
        return ReleaseOptions.from_json(given)
    except ValueError:
        return DEFAULT_OPTIONS


def next_version(newest: str) -> str:
    """A version to suggest: the newest with its last number one higher, or 1.0."""
    counted = re.fullmatch(r"(.*?)(\d+)", newest)
    if counted is None:
        return "1.0"
    return f"{counted[1]}{int(counted[2]) + 1}"
