"""The forms of a system: its import, and the name of its repetitions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from retrieval.run_names import name_from
from scoring.systems.services import LONGEST_NAME
from web.file_fields import FilesField

NAME = r"^[\w.@-]+$"
INVALID = "Use only letters, digits, “-”, “_”, “.” and “@”, without spaces."


class SystemNameField(forms.RegexField):
    """An optional name of a system, or of its repetitions."""

    def __init__(self, *, label: str, help_text: str) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            regex=NAME,
            max_length=LONGEST_NAME,
            required=False,
            error_messages={"invalid": INVALID},
        )


class RepetitionForm(forms.Form):
    """The name that a system shares with its repetitions."""

    repetition_of = SystemNameField(
        label="Repetition of",
        help_text="The name that runs of one system share, such as those with several seeds. "
        "The leaderboard shows their mean.",
    )


class SystemForm(forms.Form):
    file = FilesField(
        label="Files",
        help_text="A TREC run (six columns), or JSON: CSFCube’s ranked pools, or scores by "
        "“query_candidate”. Plain or gzip. A topic is a query’s id, or the docno of its document. "
        "Several files, each with the lists of some queries, become one system.",
        error_messages={
            "required": "Choose a file.",
            "empty": "This file is empty. Choose one with at least one list.",
        },
    )
    name = SystemNameField(
        label="Name",
        help_text="For example “specter-seed1”. The default is the name of the first file. An "
        "imported system with the same name is replaced.",
    )
    repetition_of = SystemNameField(
        label="Repetition of",
        help_text="If you import several repetitions of a system, such as one for each seed, give "
        "all the same name here, for example “specter”. The leaderboard then shows mean and "
        "standard deviation.",
    )

    def clean(self) -> None:
        super().clean()
        values = self.cleaned_data
        files: list[UploadedFile[Any]] = values.get("file") or []
        if files and not values.get("name") and "name" not in self.errors:
            values["name"] = name_from(files[0].name or "")
