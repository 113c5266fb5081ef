"""`/parts/`: every part that pages are built from, with made-up content. In demo mode only."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import Collection
from jobs.models import Job, State
from web.figure_files import ShownFigure
from web.figure_panels import Series, columns
from web.figures import Figure
from web.program import terminal_command
from web.tables.cells import NumberedPage, Sort
from web.tables.filters import Filter, FilterChoice, filter_bar


class Tab(NamedTuple):
    caption: str
    current: bool = False
    url: str = "#tabs"
    aria_current: str = "page"


class SampleCollectionForm(forms.Form):
    name = forms.CharField(help_text="Shown to everyone in the collection, for example CSFCube.")
    licence = forms.ChoiceField(
        choices=[("", "Choose a licence"), ("cc-by-4.0", "CC BY 4.0")], required=False
    )
    facets = forms.MultipleChoiceField(
        choices=[("method", "Method"), ("result", "Result")], widget=forms.CheckboxSelectMultiple
    )
    year = forms.IntegerField(min_value=1900)


class SampleFileForm(forms.Form):
    file = forms.FileField(
        required=False,
        help_text="One document a line.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.gz"}),
    )


STATES: Filter[None] = Filter(
    "state", "State", [FilterChoice("open", "Open", None), FilterChoice("judged", "Judged", None)]
)
TABS = (Tab("Overview"), Tab("Corpus", current=True), Tab("Pools"), Tab("Judging"), Tab("Results"))
LONG_TITLE = (
    "A Comparison of Retrieval Models for Scientific Abstracts under Facets: Backgrounds, Methods "
    "and Results of 4,207 Papers, with an Appendix on Interpolation"
)


def parts(request: HttpRequest) -> HttpResponse:
    if not settings.DEMO:
        raise Http404("the page of parts exists in the demo only")
    return _page(request)


@require_safe
def _page(request: HttpRequest) -> HttpResponse:
    context = {
        "tabs": TABS,
        "second_tabs": (Tab("Documents", current=True), Tab("Queries")),
        "form": SampleCollectionForm({"year": "in press"}),
        "file_form": SampleFileForm(),
        "command": terminal_command("import_documents demo corpus.jsonl"),
        "jobs": _jobs(),
        "long_title": LONG_TITLE,
        "grades": (0, 1, 2, 3, None),
        "sort": Sort("size", descending=True),
        "bar": filter_bar(request, [STATES], caption="Query or facet", button="Filter queries"),
        "figure": ShownFigure(_figure(), *["#figure-grades"] * 3),
        "numbered_page": NumberedPage([], 51, 100, 3_800, "#table", "#table"),
    }
    return render(request, "demo/parts.html", context)


def _figure() -> Figure:
    labels, counts = ["0", "1", "2", "3"], [3_120, 870, 310, 95]
    grades = [f"g{label}" for label in labels]
    panel = columns(
        "Method: 4,395 pairs",
        "Of 4,395 pairs, 3,120 have the grade 0 and 95 have the grade 3.",
        labels,
        [Series("pairs", grades, counts)],
        texts=[f"{count:,}" for count in counts],
    )
    note = "Pairs that both judges have answered."
    rows = list(zip(labels, counts, strict=True))
    return Figure("grades", "Final labels by grade", note, [panel], ["grade", "pairs"], rows)


def _jobs() -> list[Job]:
    """Jobs that were never saved: one done and one failed. A live one would poll the server."""
    now = timezone.now()
    collection = Collection(slug="demo", name="Demo")
    done = {"documents": 1_200, "without_text": 3}
    outcomes = ((State.SUCCEEDED, done, ""), (State.FAILED, None, 'line 17: "year" is missing.'))
    return [
        Job(
            id=UUID(int=number),
            kind="import_documents",
            collection=collection,
            state=state,
            result=result,
            error=error,
            started_at=now - timedelta(seconds=200),
            finished_at=now,
        )
        for number, (state, result, error) in enumerate(outcomes, start=1)
    ]
