"""Forms to import documents and topics and to add queries."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from corpus.document_import import MAX_SKIPPED
from corpus.sources import AUTO

FORMAT_CHOICES = [
    (AUTO, "Detect automatically"),
    ("jsonl", "JSON Lines of Qrelsmith"),
    ("beir", "BEIR: corpus.jsonl, or a zip that contains it"),
    ("s2orc", "S2ORC: papers with paper_id and outbound_citations"),
]
FILTER_CHOICES = [("", "No filter"), ("csfcube", "CSFCube’s filter")]


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Document file",
        help_text="One document per line, such as corpus.jsonl or corpus.jsonl.gz, or a zip of "
        "such files.",
        error_messages={
            "required": "Choose a document file.",
            "empty": "This file is empty. Choose a file with at least one document.",
        },
    )
    format = forms.ChoiceField(
        label="Format",
        choices=FORMAT_CHOICES,
        required=False,
        help_text="The first line shows the format. Choose one only if that fails.",
    )
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

    def options(self) -> dict[str, Any]:
        """The arguments of `request_import` that say how to read the file."""
        return {
            "format_name": self.cleaned_data["format"] or AUTO,
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


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topic file",
        help_text="TREC topics (<top> with <num>, <title>, <desc>, <narr>, or <topic number=…>) or "
        "the queries.jsonl of BEIR. Plain or gzip.",
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
    id_prefix = forms.RegexField(
        label="Prefix of the ids",
        regex=r"^\S*$",
        max_length=60,
        required=False,
        help_text="Needed only if a topic has the same id as a document, such as topic-.",
        error_messages={"invalid": "A prefix must not contain spaces."},
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        facet = self.fields["facet"]
        assert isinstance(facet, forms.ChoiceField)
        facet.choices = [(row.key, row.name) for row in collection.facets.all()]
