from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.base import ContentFile, File

from accounts.models import Collection
from corpus.models import Document
from corpus.queries import Wanted, parse_wanted
from web.errors import BadInput

MOST_SKIPPED = 10_000
SKIP_HELP = "At most this many; the result names them. One more stops the import, and nothing is written."


class UploadForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="JSON, CSV, TSV, TREC or SMART; also as .gz or .zip. Text in UTF-8, or UTF-16 with its mark.",
    )

    def clean_file(self) -> File[Any]:
        file: File[Any] = self.cleaned_data["file"]
        if file.size > settings.UPLOAD_MAX_BYTES:
            megabytes = settings.UPLOAD_MAX_BYTES // 1_000_000
            raise forms.ValidationError(f"At most {megabytes:,} MB, got {file.size // 1_000_000:,} MB.")
        return file


class TopicsForm(UploadForm):
    """A file, or what was pasted."""

    text = forms.CharField(
        label="Or paste topics",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "placeholder": "51\tHarbour dues\n52\tFerry fares"}),
        help_text="In any of these formats, such as an id, a tab and the title on each line.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = False

    def clean_file(self) -> File[Any] | None:  # type: ignore[override]
        return super().clean_file() if self.cleaned_data["file"] else None

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors and not values.get("file"):
            if not values.get("text", "").strip():
                raise forms.ValidationError("Choose a file, or paste topics.")
            values["file"] = ContentFile(values["text"].encode(), name="pasted-topics.txt")
        return values


class SkipForm(forms.Form):
    skip = forms.IntegerField(
        label="Wrong lines to skip", min_value=0, max_value=MOST_SKIPPED, initial=0, help_text=SKIP_HELP
    )


class DocumentOptionsForm(SkipForm):
    split = forms.BooleanField(
        label="Split abstracts into sentences",
        required=False,
        initial=True,
        help_text="Without it, each line of an abstract is one sentence. Sentences that are given stay as they are.",
    )


class QueryPapersForm(forms.Form):
    """Documents as lines of docnos and as ticked rows, and the facets they are asked under ("": the whole abstract)."""

    facets = forms.MultipleChoiceField(label="Facet", required=False, widget=forms.CheckboxSelectMultiple)
    docnos = forms.CharField(label="Document ids", required=False, widget=forms.Textarea(attrs={"rows": 3}))
    documents = forms.ModelMultipleChoiceField(Document.objects.none(), required=False)

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.collection = collection
        self.fields["documents"].queryset = collection.documents.only("docno")  # type: ignore[attr-defined]
        if collection.facets:
            choices = [*((facet, facet) for facet in collection.facets), ("", "whole abstract")]
            self.fields["facets"].choices = choices  # type: ignore[attr-defined]
            example = f"123 {collection.facets[0]} 2,4-5"
            help_text = f"One a line. A facet and numbers of sentences may follow, such as {example}."
        else:
            del self.fields["facets"]
            help_text = "One a line. Numbers of sentences may follow, such as 123 2,4-5."
        self.fields["docnos"].help_text = f"{help_text} Or tick documents below."

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        ticked = "".join(f"\n{document.docno}" for document in values.get("documents", ()))
        try:
            text = values.get("docnos", "") + ticked
            facets = values.get("facets", [""])
            self.wanted: list[Wanted] = parse_wanted(text, collection=self.collection, facets=facets)
        except BadInput as error:
            raise forms.ValidationError(str(error)) from error
        return values
