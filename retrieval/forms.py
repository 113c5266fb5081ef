"""The forms for importing run files, qrels and vectors."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from corpus.forms import docno_prefix_field, topic_prefix_field
from retrieval.retrievers import METRICS, analysis_choices
from retrieval.run_names import name_from
from retrieval.services import DEFAULT_DEPTH
from web.file_fields import FilesField

RUN, QRELS = "run", "qrels"
METRIC_NAMES = {"cosine": "Cosine of the angle", "l2": "Euclidean distance (L2)"}


class AnalysisForm(forms.Form):
    """Chooses the analysis of the retrievers that the page lists."""

    analysis = forms.ChoiceField(
        label="Words of BM25 and TF-IDF",
        choices=analysis_choices,
        help_text="Stemming makes “models” and “model” one word. Stop words, such as “the”, are "
        "left out. The name of the run shows the choice. BM25 has k1 = 1.2 and b = 0.75, which "
        "its engine does not let you change.",
    )


def _name_field(source: str) -> forms.RegexField:
    return forms.RegexField(
        label="Name",
        regex=r"^[\w.-]+$",
        max_length=60,
        required=False,
        help_text=f"Letters, digits, “-”, “_” and “.”, for example “my-bm25”. The default is "
        f"the name of the {source}. A run with the same name is replaced, "
        "unless a frozen pool was drawn from it.",
        error_messages={
            "invalid": "Use only letters, digits, “-”, “_” and “.”, without spaces.",
        },
    )


class RunImportForm(forms.Form):
    file = FilesField(
        label="Files",
        help_text="A ranked list has six columns: topic, Q0, docno, rank, score, tag. Judgments "
        "have four: topic, 0, docno, grade; or BEIR’s three, or SMART’s. Plain, gzip or a zip of "
        "one file. A topic is a query’s id, or the docno of its document. Each file becomes a run.",
        error_messages={
            "required": "Choose a file.",
            "empty": "This file is empty. Choose one with at least one line.",
        },
    )
    holds = forms.ChoiceField(
        label="It holds",
        choices=[
            (RUN, "a ranked list (TREC run)"),
            (QRELS, "judgments (qrels), as known positives"),
        ],
        initial=RUN,
        required=False,
        widget=forms.RadioSelect,
        help_text="Of judgments, the documents with a grade of 1 or more become the list, the "
        "highest grade first. They are never judgments of this collection.",
    )
    name = _name_field("file")
    docno_prefix = docno_prefix_field()
    topic_prefix = topic_prefix_field()

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("name") and len(values.get("file", ())) > 1:
            self.add_error("name", "Leave it empty, because each file becomes a run of its name.")
        return values

    def named_files(self) -> list[tuple[str, UploadedFile[Any]]]:
        """Each file with the name of its run."""
        name, files = self.cleaned_data["name"], self.cleaned_data["file"]
        return [(name or name_from(file.name), file) for file in files]


class EmbeddingsForm(forms.Form):
    vectors = forms.FileField(
        label="Vectors",
        help_text="A .npy file with one row per document, of 16, 32 or 64-bit floats.",
        widget=forms.FileInput(attrs={"accept": ".npy"}),
        error_messages={
            "required": "Choose a .npy file.",
            "empty": "This file is empty. Save the matrix with numpy.save.",
        },
    )
    docnos = forms.FileField(
        label="Docnos",
        help_text="A text file with the docno of every row, one per line, in the order of the "
        "rows. Plain or gzip. Those of the queries must be among them.",
        error_messages={
            "required": "Choose the file with the docnos of the rows.",
            "empty": "This file is empty. Write the docno of every row, one per line.",
        },
    )
    metric = forms.ChoiceField(
        label="Compared by",
        choices=[(metric, METRIC_NAMES[metric]) for metric in METRICS],
        initial=METRICS[0],
        required=False,
        widget=forms.RadioSelect,
    )
    depth = forms.IntegerField(
        label="Depth",
        min_value=1,
        max_value=100_000,
        initial=DEFAULT_DEPTH,
        required=False,
        help_text="The number of documents to rank for each query, for example 500.",
    )
    name = _name_field("file of vectors")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        # The other form on the page has a field with the same name.
        super().__init__(*arguments, **{"auto_id": "vectors_%s", **options})

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        vectors = values.get("vectors")
        if not values.get("name") and vectors and "name" not in self.errors:
            values["name"] = name_from(vectors.name)
        return values
