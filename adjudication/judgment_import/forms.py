"""The form to import judgments that were made elsewhere."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import JUDGES, Collection
from adjudication.judgment_import import ImportOptions
from adjudication.judgment_import.label_lines import BadLabelLine, parse_labels
from corpus.forms import docno_prefix_field, topic_prefix_field
from web.file_fields import FilesField, FilesInput

CHECK, REPLACE = "check", "replace"
ACCEPT = ".csv, .tsv, .json, .jsonl, .gz"


class JudgmentsForm(forms.Form):
    file = FilesField(
        label="Files",
        help_text="CSV or JSON Lines with the fields query, docno, annotator and grade (or "
        "reason), or an export of Label Studio (JSON) or doccano (JSONL). Plain or gzip. Several "
        "files, such as judgments and decisions, are one import.",
        widget=FilesInput(attrs={"accept": ACCEPT}),
        error_messages={
            "required": "Choose a file of judgments.",
            "empty": "This file is empty. Choose a file with at least one judgment.",
        },
    )
    dry_run = forms.ChoiceField(
        label="What to do",
        choices=[("", "Import the judgments"), (CHECK, "Only check the files and count")],
        initial="",
        required=False,
        widget=forms.RadioSelect,
    )
    labels = forms.CharField(
        label="Meaning of labels",
        required=False,
        help_text="Needed only if the files have labels instead of grades. One line for each "
        "label, such as Relevant=2.",
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
    )
    query_field = forms.CharField(label="Field of the query", required=False, max_length=60)
    docno_field = forms.CharField(label="Field of the docno", required=False, max_length=60)
    annotator_field = forms.CharField(
        label="Field of the annotator",
        required=False,
        max_length=60,
        help_text="Empty: detect it.",
    )
    grade_field = forms.CharField(
        label="Field of the grade", required=False, max_length=60, help_text="Empty: detect it."
    )
    docno_prefix = docno_prefix_field()
    topic_prefix = topic_prefix_field("query")
    second_annotator = forms.ChoiceField(
        label="Second annotator",
        required=False,
        help_text="Needed only if one person judged a query. This annotator judges its pairs a "
        "second time.",
    )
    drafts = forms.ChoiceField(
        label="Draft pools that do not hold a judged document",
        choices=[("", "Reject the files"), (REPLACE, "Replace by a pool of the judged documents")],
        initial="",
        required=False,
        widget=forms.RadioSelect,
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name, default in (("query_field", "query"), ("docno_field", "docno")):
            self.fields[name].widget.attrs["placeholder"] = default
        people = collection.memberships.filter(
            role__in=JUDGES, user__is_active=True
        ).select_related("user")
        choice = self.fields["second_annotator"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [
            ("", "None"),
            *((row.user.username, row.user.shown_name) for row in people),
        ]

    @property
    def details(self) -> list[forms.BoundField]:
        """The fields that most imports do not need."""
        return [field for field in self if field.name not in ("file", "dry_run")]

    def clean_labels(self) -> dict[str, str]:
        try:
            return parse_labels(self.cleaned_data["labels"].splitlines())
        except BadLabelLine as error:
            raise forms.ValidationError(str(error)) from error

    def import_options(self) -> ImportOptions:
        values = self.cleaned_data
        return ImportOptions.of(
            {
                **values,
                "query_field": values["query_field"] or "query",
                "docno_field": values["docno_field"] or "docno",
                "prefix": values["docno_prefix"],
                "replace_drafts": values["drafts"] == REPLACE,
                "dry_run": values["dry_run"] == CHECK,
            }
        )
