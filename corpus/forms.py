"""What is asked about documents and queries."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from corpus.importing import MOST_SKIPPED
from corpus.sources import AUTO

FORMAT_CHOICES = [
    (AUTO, "Tell it by the file"),
    ("jsonl", "JSON Lines of this project"),
    ("beir", "BEIR: its corpus.jsonl, or a zip with one"),
    ("s2orc", "S2ORC: papers with paper_id and outbound_citations"),
]
FILTER_CHOICES = [("", "Nothing"), ("csfcube", "What CSFCube left out")]


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Document file",
        help_text="One document a line, plain or gzip (.jsonl, .jsonl.gz), or a zip of such files.",
        error_messages={
            "required": "Choose a file first.",
            "empty": "This file is empty. Choose one with at least one document.",
        },
    )
    format = forms.ChoiceField(
        label="Format",
        choices=FORMAT_CHOICES,
        required=False,
        help_text="The first line tells it, as a rule.",
    )
    filter = forms.ChoiceField(
        label="Leave out",
        choices=FILTER_CHOICES,
        required=False,
        help_text="CSFCube's filter keeps abstracts of 3 to 20 sentences, none of more than 80 "
        "tokens and not all of fewer than 4. The job says how many each rule left out.",
    )
    skip_bad = forms.IntegerField(
        label="Bad lines to go on past",
        min_value=0,
        max_value=MOST_SKIPPED,
        required=False,
        help_text="Up to this many are left out and listed; one more, and nothing comes in.",
        widget=forms.NumberInput(attrs={"placeholder": "0"}),
    )

    def how(self) -> dict[str, Any]:
        """How to read the file, as `request_import` takes it."""
        return {
            "format_name": self.cleaned_data["format"] or AUTO,
            "filter_name": self.cleaned_data["filter"],
            "skip_bad": self.cleaned_data["skip_bad"] or 0,
        }


class QueryListForm(forms.Form):
    lines = forms.CharField(
        label="Queries",
        strip=False,  # so that line numbers stay those of the box
        help_text="One a line: the docno, then the facet.",
        error_messages={"required": "The list is empty: write at least one line."},
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "spellcheck": "false"}),
    )


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topic file",
        help_text="TREC topics (<top> with <num>, <title>, <desc>, <narr>, or <topic number=…>) or "
        "the queries.jsonl of BEIR. Plain or gzip.",
        error_messages={
            "required": "Choose a topic file.",
            "empty": "This file is empty. Choose one with at least one topic.",
        },
    )
    facet = forms.ChoiceField(
        label="Facet",
        help_text="What others are compared with the topics on; all of a topic counts as that.",
    )
    id_prefix = forms.RegexField(
        label="Put before every id",
        regex=r"^\S*$",
        max_length=60,
        required=False,
        help_text="Only where a topic’s id is also a document’s.",
        error_messages={"invalid": "An id has no space in it, so neither has what goes before it."},
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        facet = self.fields["facet"]
        assert isinstance(facet, forms.ChoiceField)
        facet.choices = [(one.key, one.name) for one in collection.facets.all()]
