"""The form that publishes a release."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from release.errors import ReleaseError
from release.gate import Finding, blocking_findings
from release.services import check_request


class PublishForm(forms.Form):
    """A version, and the findings of the gate that are published against."""

    version = forms.CharField(
        label="Version",
        max_length=40,
        help_text="Like 1.0 or v1.0.0. It can be used once and never changes.",
        error_messages={"required": "Enter a version, like 1.0."},
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

    def accepted(self) -> set[str]:
        """The checks whose findings were ticked as accepted."""
        if not self.is_bound:
            return set()
        ticked = set(cast(QueryDict, self.data).getlist("accept"))
        return ticked & {found.check for found in self.findings if not found.ok}

    def clean_version(self) -> str:
        version: str = self.cleaned_data["version"]
        try:
            check_request(collection=self.collection, version=version, accept=())
        except ReleaseError as error:
            raise forms.ValidationError(str(error)) from error
        return version

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if count := len(self.blocking()):
            found = "1 finding below is" if count == 1 else f"{count} findings below are"
            self.add_error(None, f"Nothing was published: {found} neither fixed nor accepted.")
        return cleaned

    def blocking(self) -> set[str]:
        """The checks neither fixed nor accepted; none before the form is sent."""
        if not self.is_bound:
            return set()
        return {found.check for found in blocking_findings(self.findings, self.accepted())}


def next_version(versions: Iterable[str]) -> str:
    """A version to suggest: the newest with its last number one higher, or 1.0."""
    newest = next(iter(versions), "")
    counted = re.fullmatch(r"(.*?)(\d+)", newest)
    if counted is None:
        return "1.0"
    return f"{counted[1]}{int(counted[2]) + 1}"
