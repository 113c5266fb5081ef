"""Sampled copies: made from the original's page, compared on the copy's."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import CollectionRequest, in_collection, membership_or_404, require_role
from accounts.models import ADMIN, Collection
from corpus.formats.documents import read_documents
from corpus.formats.reading import BadLines
from evaluation.copies import STRATA, comparison, make_copy
from evaluation.models import SampledCopy
from web.csv import csv_response
from web.errors import BadInput, attempt
from web.figures import Heat


class CopyForm(forms.Form):
    name = forms.CharField(max_length=200, help_text="Of the new collection.")
    slug = forms.SlugField(label="Short name", max_length=50, help_text="In addresses, such as papers-again.")
    strata = forms.MultipleChoiceField(
        label="Strata", choices=STRATA.items(), initial=["grade"], widget=forms.CheckboxSelectMultiple, required=False
    )
    per_stratum = forms.IntegerField(label="Pairs of each stratum", min_value=1, initial=20)
    texts = forms.FileField(
        required=False, help_text="Other texts of the documents, such as full texts, as an import file has them."
    )


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def copies(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """The copies of a collection, and a new one."""
    form = CopyForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        made = attempt(form, _make, form=form, request=request, original=collection)
        if made:
            return redirect("collection", made.copy.slug)
    rows = collection.copies.select_related("copy").order_by("-created_at")
    return render(request, "evaluation/copies.html", {"collection": collection, "form": form, "copies": rows})


def _make(form: CopyForm, request: CollectionRequest, original: Collection) -> SampledCopy:
    values = dict(form.cleaned_data)
    file: UploadedFile | None = values.pop("texts")
    texts: dict[str, Any] = {}
    if file:
        limit = settings.UPLOAD_MAX_BYTES
        read = read_documents(file, str(file.name), bad_lines=BadLines(), limit=limit, split=True)
        texts = {values["docno"]: values for _, values in read}
        known = original.documents.filter(docno__in=texts).count()
        if not known:
            raise BadInput(f"{file.name}: none of its documents is in {original}.")
    return make_copy(original=original, by=request.user, texts=texts, **values)


@require_GET
@in_collection(ADMIN)
def compare_with_original(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """For who is an admin of both: it shows the original's labels."""
    sampled = get_object_or_404(SampledCopy.objects.select_related("original", "copy"), copy=collection)
    require_role(membership_or_404(request.user, sampled.original.slug), ADMIN)
    found = comparison(sampled)
    names = [f"{number} {grade}" for number, grade in enumerate(collection.grades)]
    title = "Original (rows), copy (columns)"
    matrix = Heat("original-copy", title, [str(number) for number in range(len(names))], names, found["matrix"])
    if request.GET.get("figure") == matrix.name:
        return csv_response(f"{matrix.name}.csv", matrix.csv)
    context = {"collection": collection, "sampled": sampled, "found": found, "matrix": matrix}
    return render(request, "evaluation/comparison.html", context)
