"""Models as judges: imported or asked, and beside people. For admins."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.forms.fields import InvalidJSONInput
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection, User
from evaluation import asking, scores
from evaluation import model_judges as service
from evaluation.models import ModelJudge, Problem
from evaluation.views import Choice
from jobs.models import Report
from jobs.work import start_once
from retrieval.models import RankedList
from web.csv import csv_response
from web.errors import attempt
from web.figures import Heat
from web.tables import Column, Filter, Table

SAMPLES = 3  # prompts of a dry run


class ParametersField(forms.JSONField):
    """Django's lets through what Python or a database cannot take: 10,000 brackets or digits, NaN, half a letter."""

    def to_python(self, value: Any) -> Any:
        try:
            parameters = super().to_python(value)
            text = json.dumps(parameters, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (ValueError, RecursionError) as error:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from error
        if r"\u0000" in text:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return parameters

    def bound_data(self, data: Any, initial: Any) -> Any:
        try:
            self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)
        return super().bound_data(data, initial)


class AddForm(forms.ModelForm):
    prompt = forms.ChoiceField(choices=service.PROMPTS.items())
    address = forms.ChoiceField(
        choices=lambda: [(name, f"{name}: {url}") for name, url in asking.addresses().items()],
        help_text="A server that this installation may ask.",
    )
    parameters = ParametersField(
        required=False,
        initial={"temperature": 0, "max_tokens": 200},
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Sent with each request. A model that reasons needs more tokens.",
    )

    class Meta:
        model = ModelJudge
        fields = ["name", "address", "model", "prompt", "parameters"]


class ImportForm(forms.ModelForm):
    file = forms.FileField(help_text="CSV with the columns query, docno, and grade or answer (as the model wrote it).")

    class Meta:
        model = ModelJudge
        fields = ["name", "model"]


class AskForm(forms.Form):
    most = forms.IntegerField(label="Stop after requests", min_value=1, help_text="Those that fail count, too.")


@require_GET
@in_collection(ADMIN)
def model_judges(request: CollectionRequest, collection: Collection) -> HttpResponse:
    judges = collection.model_judges.annotate(
        answers=Count("labels"), malformed=Count("labels", filter=~Q(labels__problem=""))
    )
    context = {"collection": collection, "judges": judges, "can_ask": bool(asking.addresses())}
    return render(request, "evaluation/model_judges.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def add_model(request: CollectionRequest, collection: Collection) -> HttpResponse:
    return added(request, AddForm(request.POST or None), service.add_model, "Ask a model")


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def import_model(request: CollectionRequest, collection: Collection) -> HttpResponse:
    form = ImportForm(request.POST or None, request.FILES or None)
    return added(request, form, service.import_labels, "Import a model's labels")


def added(request: CollectionRequest, form: Any, add: Callable[..., ModelJudge], title: str) -> HttpResponse:
    collection = request.collection
    if form.is_valid():
        made = attempt(form, add, collection=collection, by=request.user, **form.cleaned_data)
        if made:
            return redirect("model-judge", collection.slug, made.pk)
    context = {"collection": collection, "form": form, "title": title, "can_ask": bool(asking.addresses())}
    return render(request, "evaluation/add_model.html", context)


@require_POST
@in_collection(ADMIN)
def delete_model(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    judge = get_object_or_404(collection.model_judges, pk=pk)
    service.delete_model(judge=judge)
    messages.success(request, f"{judge} and its labels are deleted.")
    return redirect("model-judges", collection.slug)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def model_judge(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """Beside people; for a model that is asked, the next prompts and their number. POST asks."""
    judge = get_object_or_404(collection.model_judges.select_related("collection"), pk=pk)
    unasked = service.unasked(judge) if judge.address else []
    form = AskForm(request.POST or None, initial={"most": len(unasked)})
    if judge.address and form.is_valid():
        if attempt(form, service.start_asking, judge=judge, by=request.user, most=form.cleaned_data["most"]):
            return redirect("model-judge", collection.slug, judge.pk)
    last = collection.jobs.filter(kind="ask_model", parameters__judge=judge.pk).first()
    problems = dict(judge.labels.exclude(problem="").values_list("problem").annotate(Count("pk")))
    columns = [
        Column("query__name", "Query"),
        Column("document__docno", "Document"),
        Column("grade", "Grade", number=True),
        Column("problem", "Problem", folded=True),
        Column("answer", "Answer", folded=True, sortable=False),
    ]
    table = Table(
        request,
        service.shown_labels(judge),
        name="answers",
        row="evaluation/_answer_row.html",
        columns=columns,
        search=["query__name", "document__docno"],
        filters=[Filter("problem", "Problem", [each for each in Problem.choices if each[0] in problems])],
        one="answer",
        many="answers",
    )
    context: dict[str, Any] = {
        "collection": collection,
        "judge": judge,
        "form": form,
        "unasked": len(unasked),
        "prompts": service.prompts_of(judge, unasked[:SAMPLES]),
        "asking": last if last and (last.error or not last.is_finished) else None,
        "problems": [(Problem(name).label, number) for name, number in sorted(problems.items())],
        "malformed": sum(problems.values()),
        "answers": judge.labels.count(),
    }
    if context["answers"] and not (last and not last.is_finished):
        context |= beside_people(request, judge)
        for row in context.get("facets", ()):
            if request.GET.get("figure") == row["figure"].name:
                return csv_response(f"{row['figure'].name}.csv", row["figure"].csv)
    return table.response("evaluation/model_judge.html", context)


def beside_people(request: CollectionRequest, judge: ModelJudge) -> dict[str, Any]:
    """The report for the page's choice; a job makes it where there are too many lists for a page."""
    collection = judge.collection
    choice = Choice(request, collection)
    about = {"profile": choice.profile.name, "scope": choice.profile.scope, "by": choice.by, "split": choice.split}
    report = Report.objects.find(collection, service.KIND, judge=judge.pk, **about)
    if report is None or report.labels != service.state_of(judge):
        if RankedList.objects.filter(run__collection=collection).count() > scores.AT_ONCE:
            made = start_once("compare_model", collection=collection, by=request.user, judge=judge.pk, **about)
            return {"choice": choice, "comparing": made}
        report = service.compare_with_people(judge, **about)
    facets = [row for row in report.data["facets"] if choice.facet in ("", row["facet"])]
    numbers = [str(number) for number in range(len(collection.grades))]
    names = [f"{number} {grade}" for number, grade in enumerate(collection.grades)]
    for row in facets:
        title = f"{row['facet'].capitalize() or 'All queries'}: final label (rows), model (columns)"
        row["figure"] = Heat(f"model-{row['facet'] or 'all'}", title, numbers, names, row["matrix"])
    people = {str(each.pk): str(each) for each in User.objects.filter(memberships__collection=collection)}
    return {"choice": choice, "facets": facets, "people": people}
