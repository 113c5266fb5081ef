"""Judgments and published labels from files: choose a file, look at what would happen, import it. For admins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from annotation import importing, published
from corpus.formats.reading import FIRST_ROWS
from corpus.forms import UploadForm
from corpus.uploads import find_upload, keep_upload
from jobs.models import Job, State
from jobs.work import start_once
from web.errors import BadInput
from web.templatetags.ui import joined

PERSON, GRADE = "person:", "grade:"  # before a name and a grade of the file, in addresses


class JudgmentsForm(UploadForm):
    file = forms.FileField(
        help_text="CSV with a first line of names: query,docno,judge,grade, perhaps with reason and note. Or "
        "query,docno and a column for each person. −1 is a missing grade."
    )


class LabelsForm(UploadForm):
    file = forms.FileField(help_text="Qrels as TREC (query 0 docno grade) or BEIR (query-id corpus-id score) has them.")
    origin = forms.CharField(
        max_length=300,
        help_text="Who made the labels, where they are published, and their licence. Every page and release says it. "
        "Such as “TREC-COVID round 5 qrels, NIST, https://ir.nist.gov/covidSubmit/data.html, public domain”.",
    )


class ColumnsForm(forms.Form):
    query = forms.ChoiceField(label="Query")
    docno = forms.ChoiceField(label="Document")
    judge = forms.ChoiceField(label="Judge", required=False)
    grade = forms.ChoiceField(label="Grade", required=False)
    people = forms.MultipleChoiceField(label="People", required=False, widget=forms.CheckboxSelectMultiple)
    match_leading_zeros = forms.BooleanField(required=False, help_text="Take the query 51 for 051, and the reverse.")

    def __init__(self, data: Mapping[str, Any], *, header: Sequence[str]) -> None:
        super().__init__(data)
        self.header = [name for name in header if name]
        choices = [(name, name) for name in self.header]
        for name in ("query", "docno", "judge", "grade"):
            nothing = "None: a column for each person" if name == "judge" else "None"
            self.fields[name].choices = [("", nothing), *choices]  # type: ignore[attr-defined]
        self.fields["people"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        there = f"The file has {joined(self.header)}."
        if values.get("judge"):
            values["people"] = []
            if not values.get("grade"):
                self.add_error("grade", f"Choose the column of the grades. {there}")
        elif values.get("grade"):
            self.add_error("judge", f"Choose the column of the judges. {there} Without any, they are published labels.")
        elif len(values.get("people", [])) < 2:
            self.add_error("people", f"Choose the columns of at least two people. {there}")
        return values

    @property
    def choices(self) -> dict[str, Any]:
        columns = dict(self.cleaned_data)
        zeros = columns.pop("match_leading_zeros")
        return {"columns": importing.guess(self.header) | columns, "match_leading_zeros": zeros}


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def import_judgments(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """The choices of columns and people are in the address; POST starts the job."""
    if not (upload := request.GET.get("upload")):
        return _choose_file(request, collection, JudgmentsForm, "annotation/import_judgments.html")
    job = job_of(collection, importing.KIND, upload)
    context: dict[str, Any] = {"collection": collection, "job": job, "upload": upload}
    if job is None or job.state in (State.FAILED, State.CANCELLED):
        path = find_upload(collection, upload)
        context["name"] = path.rpartition("/")[2]
        try:
            header, _ = importing.read_table(path)
            form = ColumnsForm(request.GET if "query" in request.GET else importing.guess(header), header=header)
            context["form"] = form
            if form.is_valid():
                people = {key.removeprefix(PERSON): who for key, who in request.GET.items() if key.startswith(PERSON)}
                choices = form.choices | {"people": people}
                plan = importing.plan_import(collection, path, **choices)
                if request.method == "POST" and not plan.faults:
                    start_once(importing.KIND, collection=collection, by=request.user, path=path, **choices)
                    return redirect(request.get_full_path())
                names = [(name, number, plan.who[name]) for name, number in plan.names.items()]
                context |= {"plan": plan, "names": names, "users": importing.people_to_choose(collection)}
                context["pairs"] = list(islice(plan.pairs.items(), FIRST_ROWS))
        except BadInput as error:
            context["error"] = error
    return render(request, "annotation/import_judgments_upload.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def import_labels(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """The origin and what becomes of each grade are in the address; POST starts the job."""
    upload, origin = request.GET.get("upload"), request.GET.get("origin", "").strip()
    if not upload or not origin:
        return _choose_file(request, collection, LabelsForm, "annotation/import_labels.html")
    job = job_of(collection, published.KIND, upload)
    context: dict[str, Any] = {"collection": collection, "job": job, "upload": upload, "origin": origin}
    if job is None or job.state in (State.FAILED, State.CANCELLED):
        path = find_upload(collection, upload)
        context["name"] = path.rpartition("/")[2]
        scale = {"": None} | {str(grade): grade for grade in range(len(collection.grades))}
        chosen = {key.removeprefix(GRADE): value for key, value in request.GET.items() if key.startswith(GRADE)}
        grades = {grade: scale[here] for grade, here in chosen.items() if here in scale}
        choices: dict[str, Any] = {"grades": grades, "match_leading_zeros": "match_leading_zeros" in request.GET}
        try:
            plan = published.plan_labels(collection, path, **choices)
            if request.method == "POST" and not plan.faults:
                about = {"path": path, "origin": origin[:300], **choices}
                start_once(published.KIND, collection=collection, by=request.user, **about)
                return redirect(request.get_full_path())
            rows = [
                {"grade": grade, "lines": plan.lines[grade], "here": here, "is_chosen": str(grade) in grades}
                for grade, here in plan.grades.items()
            ]
            context |= {"plan": plan, "rows": rows, "scale": list(enumerate(collection.grades))}
            context["match_leading_zeros"] = choices["match_leading_zeros"]
        except BadInput as error:
            context["error"] = error
    return render(request, "annotation/import_labels_upload.html", context)


def _choose_file(
    request: CollectionRequest, collection: Collection, form_class: type[UploadForm], template: str
) -> HttpResponse:
    form = form_class(request.POST or None, request.FILES or None)
    if form.is_valid():
        values = dict(form.cleaned_data)
        values["upload"] = keep_upload(collection, values.pop("file"))
        return redirect(f"{request.path}?{urlencode(values)}")
    return render(request, template, {"collection": collection, "form": form})


def job_of(collection: Collection, kind: str, upload: str) -> Job | None:
    """The last one that was started with an upload."""
    return collection.jobs.filter(kind=kind, parameters__path__startswith=f"uploads/{upload}/").first()
