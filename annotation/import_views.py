"""Judgments and published labels from files: choose a file, look at what would happen, import it. For admins."""

from __future__ import annotations

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

PERSON, GRADE = "person:", "grade:"  # before a name and a grade of the file, in addresses
SELECTS = [  # of columns: key, label, without one
    ("query", "Query", "none"),
    ("docno", "Document", "none"),
    ("judge", "Judge", "a column each"),
    ("grade", "Grade", "none"),
]


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


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def import_judgments(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Which column is what and who is who are in the address; POST starts the job."""
    if not (upload := request.GET.get("upload")):
        return _choose_file(request, collection, JudgmentsForm, "annotation/import_judgments.html")
    job = job_of(collection, importing.KIND, upload)
    context: dict[str, Any] = {"collection": collection, "job": job, "upload": upload}
    if job is None or job.state in (State.FAILED, State.CANCELLED):
        path = find_upload(collection, upload)
        context["name"] = path.rpartition("/")[2]
        try:
            (header, _), asked = importing.read_table(path), request.GET
            chosen = {key: asked[key] for key, *_ in SELECTS if key in asked}
            choices: dict[str, Any] = {
                "columns": importing.choose_columns(header, chosen, asked.getlist("people") if chosen else None),
                "people": {key.removeprefix(PERSON): who for key, who in asked.items() if key.startswith(PERSON)},
                "match_leading_zeros": "match_leading_zeros" in asked,
            }
            plan = importing.plan_import(collection, path, **choices)
            if request.method == "POST" and not plan.faults:
                start_once(importing.KIND, collection=collection, by=request.user, path=path, **choices)
                return redirect(request.get_full_path())
            names = [(name, number, plan.who[name]) for name, number in plan.names.items()]
            context |= {"plan": plan, "names": names, "users": importing.people_to_choose(collection)} | choices
            context |= {"header": header, "pairs": list(islice(plan.pairs.items(), FIRST_ROWS)), "selects": SELECTS}
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
