"""Forms to import documents and topics and to add queries."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from corpus.document_formats import AUTO, DOCUMENT_FORMATS
from corpus.document_import import MAX_SKIPPED
from corpus.table_formats import ColumnError, parse_columns
from web.file_fields import FilesField

FORMAT_CHOICES = [
    (AUTO, "Detect automatically"),
    *((name, DOCUMENT_FORMATS[name].title) for name in DOCUMENT_FORMATS),
]
FILTER_CHOICES = [("", "No filter"), ("csfcube", "CSFCube’s filter")]


def docno_prefix_field() -> forms.RegexField:
    return _prefix_field("Prefix of the docnos", "Put before every docno, such as cran-.")


def topic_prefix_field(noun: str = "topic") -> forms.RegexField:
    return _prefix_field(f"Prefix of the {noun} ids", f"Put before every {noun} id, such as trec-.")


def _prefix_field(label: str, help_text: str) -> forms.RegexField:
    return forms.RegexField(
        label=label,
        regex=r"^\S*$",
        max_length=60,
        required=False,
        help_text=help_text,
        error_messages={"invalid": "A prefix must not contain spaces."},
    )


class UploadForm(forms.Form):
    file = FilesField(
        label="Document files",
        help_text="JSON Lines, TSV, CSV or TREC’s <DOC>, plain or gzip, or a zip of such files. "
        "Several files are one import, in the order of their names.",
        error_messages={
            "required": "Choose a document file.",
            "empty": "This file is empty. Choose a file with at least one document.",
        },
    )
    format = forms.ChoiceField(
        label="Format",
        choices=FORMAT_CHOICES,
        required=False,
        help_text="The first line shows the format, and the job says which it was. Choose one only "
        "if that is wrong.",
    )
    columns = forms.CharField(
        label="Columns of a table",
        max_length=500,
        required=False,
        help_text="Needed only if a TSV or CSV file has other names than docno, title and text, "
        "such as docno=id, title=name, text=3.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
    )
    docno_prefix = docno_prefix_field()
    filter = forms.ChoiceField(
        label="Filter",
        choices=FILTER_CHOICES,
        required=False,
        help_text="CSFCube’s filter keeps abstracts of 3 to 20 sentences, none of more than 80 "
        "tokens and at least one of 4. The job counts the documents left out.",
    )
    skip_bad = forms.IntegerField(
        label="Skip up to this many invalid lines",
        min_value=0,
        max_value=MAX_SKIPPED,
        required=False,
        help_text="The job lists the skipped lines. With one more, nothing is imported.",
        widget=forms.NumberInput(attrs={"placeholder": "0"}),
    )

    @property
    def details(self) -> list[forms.BoundField]:
        """The fields that most imports do not need."""
        return [field for field in self if field.name != "file"]

    def clean_columns(self) -> str:
        columns: str = self.cleaned_data["columns"]
        try:
            parse_columns(columns)
        except ColumnError as error:
            raise forms.ValidationError(str(error)) from error
        return columns

    def options(self) -> dict[str, Any]:
        """The arguments of `request_import` that say how to read the file."""
        return {
            "format_name": self.cleaned_data["format"] or AUTO,
            "columns": self.cleaned_data["columns"],
            "prefix": self.cleaned_data["docno_prefix"],
            "filter_name": self.cleaned_data["filter"],
            "skip_bad": self.cleaned_data["skip_bad"] or 0,
        }


class QueryListForm(forms.Form):
    lines = forms.CharField(
        label="Queries",
        strip=False,  # so that line numbers match those of the text box
        help_text="One query per line: the docno, a space and the facet, such as 12345 method.",
        error_messages={"required": "The list is empty. Write at least one line."},
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "spellcheck": "false"}),
    )

    def __init__(self, *arguments: Any, has_facets: bool, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if not has_facets:
            self.fields["lines"].help_text = "One query per line: the docno, such as 12345."


class TopicsForm(forms.Form):
    file = FilesField(
        label="Topic files",
        help_text="TREC topics (<top> with <num>, <title>, <desc>, <narr>, or <topic number=…>), "
        "JSON Lines (BEIR, PyTerrier, Pyserini, ir_datasets), or lines of an id, a tab and a text. "
        "Plain or gzip. The format is detected. Several files are one import.",
        error_messages={
            "required": "Choose a topic file.",
            "empty": "This file is empty. Choose a file with at least one topic.",
        },
    )
    facet = forms.ChoiceField(
        label="Facet",
        help_text="Documents are compared with the topics on this facet. It applies to the whole "
        "topic.",
    )
    topic_prefix = topic_prefix_field()

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        facet = self.fields["facet"]
        assert isinstance(facet, forms.ChoiceField)
        facet.choices = [(row.key, row.name) for row in collection.facets.all()]
        if len(facet.choices) == 1:
            del self.fields["facet"]
