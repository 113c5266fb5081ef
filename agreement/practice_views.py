"""Pilots and training: an admin's pages, and what a trainee sees at the end."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, ANNOTATOR, Collection, User
from agreement.coefficients import REGISTRY
from agreement.practice import ENOUGH, guideline_changes, people_of, pilot_report, trainee_report
from annotation.models import Practice, Slot
from annotation.practice import (
    balanced_gold,
    close_practice,
    gold_documents,
    pilot_documents,
    start_practice,
)
from annotation.presentation import present
from corpus.formats.reading import BadLines, text_files
from corpus.formats.records import Names, csv_rows, table
from corpus.models import Query
from web.errors import BadInput, NotFound, attempt
from web.figures import Heat

PILOT, LABELS, FILE = "pilot", "labels", "file"
KINDS = [
    (PILOT, "A pilot: everyone judges the same pairs, and you compare"),
    (LABELS, "Training with the final labels as answers"),
    (FILE, "Training with answers from a file"),
]
GOLD = Names("answer", "docno", {"docno": ("docno",)}, "", {}, {}, {})


class PracticeForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="Such as “Pilot 2” or “Training, method”.")
    kind = forms.ChoiceField(choices=KINDS, widget=forms.RadioSelect, initial=PILOT)
    people = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    queries = forms.ModelMultipleChoiceField(
        Query.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Choose queries that these people will not judge later.",
    )
    number = forms.IntegerField(label="Pairs of each query", min_value=1, max_value=200, initial=10)
    file = forms.FileField(
        label="Answers", required=False, help_text="For answers from a file: a CSV of query, docno and grade."
    )
    with_unchecked_labels = forms.BooleanField(
        label="Use queries with unchecked labels, too",
        required=False,
        help_text="Predicted labels are in bold for these people, and they stay once a query is open.",
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        annotators = User.objects.filter(memberships__in=collection.memberships.judging())
        self.fields["people"].queryset = annotators.order_by("username")  # type: ignore[attr-defined]
        queries = collection.queries.exclude(pools=None).select_related("document", "collection")
        self.fields["queries"].queryset = queries.order_by("name")  # type: ignore[attr-defined]
        if not collection.queries.with_unchecked_labels().exists():
            del self.fields["with_unchecked_labels"]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("kind") == FILE and not values.get("file"):
            self.add_error("file", "Choose the file with the answers.")
        elif values.get("kind") != FILE and not values.get("queries"):
            self.add_error("queries", "Choose at least one query.")
        return values


@require_GET
@in_collection(ADMIN)
def practices(request: CollectionRequest, collection: Collection) -> HttpResponse:
    rows: list[dict[str, Any]] = [
        {"practice": each, "people": people_of(each), "is_open": each.openings.filter(closed_at=None).exists()}
        for each in collection.practices.all()
    ]
    for row in rows:
        row |= {key: sum(person[key] for person in row["people"]) for key in ("total", "judged")}
    return render(request, "agreement/practices.html", {"collection": collection, "rows": rows})


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def add_practice(request: CollectionRequest, collection: Collection) -> HttpResponse:
    form = PracticeForm(request.POST or None, request.FILES or None, collection=collection)
    if form.is_valid():
        if practice := attempt(form, _start, collection=collection, values=form.cleaned_data, by=request.user):
            messages.success(request, f"{practice} is on its people's lists.")
            return redirect("practice", collection.slug, practice.pk)
    context = {"collection": collection, "form": form, "annotators": form.fields["people"].queryset}  # type: ignore[attr-defined]
    return render(request, "agreement/add_practice.html", context)


def _start(*, collection: Collection, values: dict[str, Any], by: User) -> Practice:
    about: dict[str, Any] = {
        "collection": collection,
        "name": values["name"],
        "people": list(values["people"]),
        "by": by,
        "with_unchecked_labels": values.get("with_unchecked_labels", False),
    }
    if values["kind"] == PILOT:
        documents = pilot_documents(collection, values["queries"], values["number"])
        return start_practice(documents=documents, **about)
    if values["kind"] == LABELS:
        gold = balanced_gold(collection, values["queries"], values["number"])
    else:
        gold = read_gold(values["file"], collection)
    return start_practice(documents=gold_documents(collection, gold), gold=gold, **about)


def read_gold(file: UploadedFile[Any], collection: Collection) -> dict[str, dict[str, int]]:
    gold: dict[str, dict[str, int]] = {}
    for text in text_files(file, str(file.name), BadLines(), settings.UPLOAD_MAX_BYTES, ""):
        for line, row in table(text, csv_rows(text, text.lines(), ","), GOLD, {}):
            query, docno, grade = (row.get(column, "") for column in ("query", "docno", "grade"))
            if not (re.fullmatch(r"[0-9]{1,3}", grade) and int(grade) <= collection.top_grade):
                text.bad(line, f"a grade is a number from 0 to {collection.top_grade}, got {grade!r}.")
            if gold.setdefault(query, {}).setdefault(docno, int(grade)) != int(grade):
                text.bad(line, f"{query} and {docno} had another grade before.")
    if not gold:
        raise BadInput(f"{file.name} has no answers.")
    return gold


@require_GET
@in_collection(ADMIN)
def practice(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """A pilot's agreement and its worst pairs; of a training, how far everyone is."""
    practice = get_object_or_404(collection.practices, pk=pk)
    people = people_of(practice)
    context: dict[str, Any] = {
        "collection": collection,
        "practice": practice,
        "people": people,
        "is_open": practice.openings.filter(closed_at=None).exists(),
        "changes": guideline_changes(practice),
        "coefficients": [each for each in REGISTRY if each.of_paper],
        "enough": ENOUGH,
    }
    if practice.gold:
        for row in people:
            row |= trainee_report(practice, row["person"])
    else:
        context["report"] = report = pilot_report(practice)
        for row in report["worst"]:
            row["shown"] = present(row["pair"].query, row["pair"].document, 0)
    return render(request, "agreement/practice.html", context)


@require_POST
@in_collection(ADMIN)
def close(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    practice = get_object_or_404(collection.practices, pk=pk)
    close_practice(practice=practice)
    messages.success(request, f"{practice} is closed.")
    return redirect("practice", collection.slug, practice.pk)


@require_GET
@in_collection(ANNOTATOR)
def own_training(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """A trainee's grades beside the answers, once all are judged. A pilot has no answers."""
    practice = collection.practices.exclude(gold={}).filter(pk=pk).first()
    own = Slot.objects.filter(pair__opening__practice=practice, judge=request.user)
    if practice is None or not own.exists() or own.filter(judgment=None).exists():
        raise NotFound("There are no answers for you here. You see them once you have judged all of a training.")
    report = trainee_report(practice, request.user)
    for row in report["rows"]:
        row["shown"] = present(row["pair"].query, row["pair"].document, 0)
    numbers = [str(number) for number in range(len(collection.grades))]
    labels = [f"{number} {name}" for number, name in enumerate(collection.grades)]
    title = "Answers (rows), your grades (columns)"
    confusion = Heat("confusion", title, numbers, labels, report["confusion"])
    context = {"collection": collection, "practice": practice, "report": report, "confusion": confusion}
    return render(request, "agreement/own_training.html", context | {"enough": ENOUGH})
