"""Forms to import documents and topics and to add queries."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from corpus.documents.import_options import MAX_SKIPPED, DocumentImportOptions
from corpus.formats.full_texts import FORMATS as FULL_TEXT_FORMATS
from corpus.formats.registry import AUTO, DOCUMENT_FORMATS
from corpus.formats.tables import ColumnError, parse_columns
from corpus.selection.expansion import DIRECTIONS, MOST_HOPS
from corpus.selection.filters import HIGHEST_MINIMUM, RecipeError
from corpus.selection.sub_corpus import DEFAULT_SEED, LARGEST, MOST_PER_FIELD
from corpus.selection.written_recipes import (
    RECIPE_FIELDS,
    SUB_CORPUS_FIELDS,
    written_recipe,
    written_selection,
)
from web.file_fields import FilesField

FORMAT_CHOICES = [
    (AUTO, "Detect automatically"),
    *((name, DOCUMENT_FORMATS[name].title) for name in DOCUMENT_FORMATS),
]
FILTER_CHOICES = [("", "No filter"), ("csfcube", "CSFCube’s filter"), ("mdcr", "MDCR’s filter")]
DIRECTION_CHOICES = [(key, words.capitalize()) for key, words in DIRECTIONS.items()]
MOST_SEEDS = 200_000  # characters


FULL_TEXT_TITLES = {
    "sections": "Sections as JSON Lines",
    "s2orc": "S2ORC’s body_text",
    "links": "Links to PDFs",
}


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


def _least_field(label: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=0,
        max_value=HIGHEST_MINIMUM,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": "0"}),
    )


def _seed_field(label: str, help_text: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=60,
        required=False,
        help_text=help_text,
        widget=forms.TextInput(attrs={"placeholder": DEFAULT_SEED}),
    )


class UploadForm(forms.Form):
    file = FilesField(
        label="Document files",
        help_text="JSON Lines or a JSON array, SMART, TREC, XML, BibTeX, TSV or CSV, plain or "
        "gzip, or a zip of such files. "
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
        "tokens and at least one of 4. MDCR’s keeps documents with a year, a title, an abstract of "
        "30 characters and 3 outgoing citations.",
    )
    field = forms.CharField(
        label="Fields of study",
        max_length=1_000,
        required=False,
        help_text="Keep documents of one of these fields, separated by semicolons, such as "
        "Computer Science; Linguistics.",
    )
    years = forms.CharField(
        label="Years", max_length=20, required=False, help_text="Such as 1995-2019, or 1995-."
    )
    language = forms.CharField(
        label="Languages",
        max_length=200,
        required=False,
        help_text="Codes such as en; de. If the file names no language, the text shows it.",
    )
    min_citations = _least_field("Fewest outgoing citations")
    min_characters = _least_field("Fewest characters of the abstract")
    min_sentences = _least_field("Fewest sentences of the abstract")
    needs = forms.MultipleChoiceField(
        label="Only documents with",
        choices=[("has_text", "a title and an abstract"), ("has_full_text", "a full text")],
        required=False,
        help_text="The file says which documents have a full text. Some formats do not.",
        widget=forms.CheckboxSelectMultiple,
    )
    seeds = forms.CharField(
        label="Seeds of a citation expansion",
        max_length=MOST_SEEDS,
        required=False,
        strip=False,
        help_text="One docno on each line. Only these documents and those near them in the graph "
        "of citations are imported.",
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
    )
    hops = forms.IntegerField(
        label="Hops from the seeds",
        min_value=0,
        max_value=MOST_HOPS,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": "1"}),
    )
    direction = forms.ChoiceField(
        label="Documents near the seeds", choices=DIRECTION_CHOICES, required=False
    )
    sample_size = forms.IntegerField(
        label="Documents of the sub-corpus",
        min_value=1,
        max_value=LARGEST,
        required=False,
        help_text="Such as 200000. The queries and what they cite count. Empty: no sample.",
    )
    sample_seed = _seed_field("Seed of the sample", "Another seed draws another sample.")
    query_papers = forms.CharField(
        label="Queries",
        max_length=MOST_SEEDS,
        required=False,
        strip=False,
        help_text="One docno on each line, as in the file. Leave it empty to draw queries.",
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
    )
    queries_per_field = forms.IntegerField(
        label="Queries to draw from each field",
        min_value=0,
        max_value=MOST_PER_FIELD,
        required=False,
        help_text="Such as 200. A paper’s field is the first one in the file.",
        widget=forms.NumberInput(attrs={"placeholder": "0"}),
    )
    query_years = forms.CharField(
        label="Years of drawn queries",
        max_length=20,
        required=False,
        help_text="Such as 2019. Empty: any year.",
    )
    query_fields = forms.CharField(
        label="Fields of drawn queries",
        max_length=1_000,
        required=False,
        help_text="Separated by semicolons. Empty: every field of the file.",
    )
    query_seed = _seed_field(
        "Seed of drawn queries", "Keep it when you draw another sample for the same queries."
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
        """The fields that most imports do not need, without the filters."""
        others = ("file", *RECIPE_FIELDS, *SUB_CORPUS_FIELDS)
        return [field for field in self if field.name not in others]

    @property
    def filters(self) -> list[forms.BoundField]:
        """The fields that say which documents are left out."""
        return [field for field in self if field.name in RECIPE_FIELDS]

    @property
    def filters_have_values(self) -> bool:
        return _have_values(self.filters)

    @property
    def sub_corpus(self) -> list[forms.BoundField]:
        """The fields of a sampled sub-corpus."""
        return [field for field in self if field.name in SUB_CORPUS_FIELDS]

    @property
    def sub_corpus_has_values(self) -> bool:
        return _have_values(self.sub_corpus)

    def clean_columns(self) -> str:
        columns: str = self.cleaned_data["columns"]
        try:
            parse_columns(columns)
        except ColumnError as error:
            raise forms.ValidationError(str(error)) from error
        return columns

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            values |= dict.fromkeys(values["needs"], True)
            try:
                values["recipe"] = written_recipe(values)
                values["selection"] = written_selection(values)
            except RecipeError as error:
                self.add_error(error.field, str(error))
        return values

    def options(self, *, dry_run: bool) -> DocumentImportOptions:
        values = self.cleaned_data
        return DocumentImportOptions(
            format_name=values["format"] or AUTO,
            columns=values["columns"],
            prefix=values["docno_prefix"],
            recipe=values["recipe"],
            selection=values["selection"],
            skip_bad=values["skip_bad"] or 0,
            dry_run=dry_run,
        )


def _have_values(fields: list[forms.BoundField]) -> bool:
    return any(field.data or field.errors for field in fields)


class FullTextsForm(forms.Form):
    file = FilesField(
        label="Full-text files",
        help_text="JSON Lines with sections, S2ORC’s body_text, or links to PDFs; or JSON files of "
        "doc2json. Plain or gzip. Several files are one import.",
        error_messages={
            "required": "Choose a file of full texts.",
            "empty": "This file is empty. Choose a file with at least one full text.",
        },
    )
    format = forms.ChoiceField(
        label="Format",
        choices=[
            (AUTO, "Detect automatically"),
            *((name, FULL_TEXT_TITLES[name]) for name in FULL_TEXT_FORMATS),
        ],
        required=False,
        help_text="The keys of each line show its format. Choose one only if that is wrong.",
    )
    docno_prefix = docno_prefix_field()

    @property
    def details(self) -> list[forms.BoundField]:
        """The fields that most imports do not need."""
        return [self["format"], self["docno_prefix"]]


class QueryIdsField(forms.CharField):
    """Ids of queries, one a line; its value is their list."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"})
        super().__init__(label="Ids of queries", required=False, widget=widget, **options)

    def clean(self, value: Any) -> list[str]:
        return str(super().clean(value)).split()


class QueryListForm(forms.Form):
    lines = forms.CharField(
        label="Queries",
        strip=False,  # so that line numbers match those of the text box
        help_text="One query per line: the docno, a space and the facet, such as 12345 method. For "
        "a query by sentences, add their numbers and a name if you like, such as 12345 method "
        "2,4-5 pruning.",
        error_messages={"required": "The list is empty. Write at least one line."},
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "spellcheck": "false"}),
    )

    def __init__(self, *arguments: Any, has_facets: bool, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if not has_facets:
            self.fields["lines"].help_text = (
                "One query per line. A topic is an id, a tab and a text. A document is its docno, "
                "such as 12345, with numbers of sentences if only these are the query, such as "
                "12345 2,4-5."
            )


class TopicsForm(forms.Form):
    file = FilesField(
        label="Topic files",
        help_text="TREC topics (<top> with <num>, <title>, <desc>, <narr>, or <topic number=…>), "
        "SMART (.I, .W), JSON Lines or a JSON array (BEIR, PyTerrier, Pyserini, ir_datasets), or "
        "lines of an id, a tab and a text. Plain, gzip or a zip of one file. The format is "
        "detected. Several files are one import.",
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
