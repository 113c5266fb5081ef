"""The page *Significance*: every system against a baseline, and all pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.significance.stored_scores_form import StoredScoresForm
from evaluation.significance.stored_values import ScoreState, usual_baseline
from evaluation.significance.tables import (
    MOST_SYSTEMS,
    PAIRS,
    SYSTEMS,
    difference_sentence,
    matrix_of,
    page_rows,
    pair_lines,
)
from scoring.statistics.comparison import SystemComparison, compare, compare_all_pairs
from web.tables.columns import ShownColumns, Table, csv_file


class SignificanceForm(StoredScoresForm):
    """The measure, the facet and the baseline."""

    facet = forms.ChoiceField(required=False)
    baseline = forms.ChoiceField()

    def __init__(self, parameters: QueryDict, collection: Collection) -> None:
        super().__init__(parameters, collection)
        self.chosen_baseline = self.offer("baseline", self.systems, usual_baseline(self.systems))

    @property
    def comparison(self) -> SystemComparison:
        return compare(self.values, self.chosen_baseline)


@in_collection(Role.ADMIN)
@require_safe
def significance(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = SignificanceForm(request.GET, collection)
    context: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "state": ScoreState.of(collection, form.source),
        "parameters": request.GET.urlencode(),
    }
    if form.has_scores:
        comparison = form.comparison
        context |= {
            "comparison": comparison,
            "rows": page_rows(comparison),
            "sentence": difference_sentence(comparison, form.chosen_measure),
            "most_systems": MOST_SYSTEMS,
        }
        if 2 <= len(comparison.rows) <= MOST_SYSTEMS:
            context["matrix"] = matrix_of(compare_all_pairs(form.values))
    return render(request, "evaluation/significance.html", context)


@in_collection(Role.ADMIN)
@require_safe
def significance_csv(request: HttpRequest, collection: Collection) -> StreamingHttpResponse:
    return _csv(request, collection, SYSTEMS, "significance", lambda form: form.comparison.rows)


@in_collection(Role.ADMIN)
@require_safe
def all_pairs_csv(request: HttpRequest, collection: Collection) -> StreamingHttpResponse:
    return _csv(
        request,
        collection,
        PAIRS,
        "all-pairs",
        lambda form: pair_lines(compare_all_pairs(form.values)),
    )


def _csv(
    request: HttpRequest,
    collection: Collection,
    table: Table[Any],
    name: str,
    rows_of: Callable[[SignificanceForm], Any],
) -> StreamingHttpResponse:
    form = SignificanceForm(request.GET, collection)
    rows = rows_of(form) if form.has_scores else []
    return csv_file(f"{collection.slug}-{name}", ShownColumns(table, table.columns), rows)
