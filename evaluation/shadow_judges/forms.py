"""The form that imports the labels of a model."""

from __future__ import annotations

from django import forms

from evaluation.shadow_judges.services import (
    LONGEST_MODEL,
    LONGEST_NAME,
    LONGEST_TEXT,
    NAME,
    Description,
)


def name_field(help_text: str) -> forms.RegexField:
    """The name of a shadow judge."""
    return forms.RegexField(
        label="Name",
        regex=rf"^{NAME}$",
        max_length=LONGEST_NAME,
        help_text=help_text,
        error_messages={"invalid": "Use only letters, digits, “-”, “_” and “.”, without spaces."},
    )


class ShadowJudgeForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="TREC qrels with four columns (query, 0, docno, grade), or JSON lines with "
        "query, docno and grade. Plain or gzip.",
        widget=forms.FileInput(attrs={"accept": ".txt, .qrels, .tsv, .jsonl, .gz"}),
        error_messages={
            "required": "Choose a file of labels.",
            "empty": "This file is empty. Choose a file with at least one label.",
        },
    )
    name = name_field("Letters, digits, “-”, “_” and “.”, for example “gpt-4o-zero-shot”.")
    model = forms.CharField(
        label="Model",
        max_length=LONGEST_MODEL,
        required=False,
        help_text="The model and its version, for example “gpt-4o-2024-08-06”.",
    )
    labelled_on = forms.DateField(
        label="Date of the labels",
        required=False,
        help_text="When the model labelled the pairs.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": "Enter a date such as 2026-11-23."},
    )
    prompt = forms.CharField(
        label="Prompt",
        max_length=LONGEST_TEXT,
        required=False,
        help_text="The prompt, or where it is kept.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    description = forms.CharField(
        label="Description",
        max_length=LONGEST_TEXT,
        required=False,
        help_text="What else a reader must know, such as examples that the model was given.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def about(self) -> Description:
        """The description of the shadow judge; only a valid form has it."""
        values = {key: value for key, value in self.cleaned_data.items() if key != "file"}
        return Description(**values)
