"""The pages that draw two values for each query: of two systems, and of two facets."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.comparison.figures import (
    MOST_IN_TABLE,
    PAPERS,
    QUERIES,
    Sides,
    ValuePair,
    comparison_figure,
)
from evaluation.comparison.paired_facets import facet_pairs, paired_values, queries_by_paper
from evaluation.significance.stored_scores_form import StoredScoresForm
from evaluation.significance.stored_values import ScoreState, usual_baseline
from scoring.statistics.comparison import by_mean
from web.figure_files import figure_file, shown
from web.figures import Figure
from web.lazy import pandas as pd
from web.words import count_noun, listed


class SystemsForm(StoredScoresForm):
    """Two systems, a measure and a facet. The default is the baseline and the best other."""

    field_order = ["first", "second", "measure", "facet"]
    first = forms.ChoiceField(label="First system (hollow dots)")
    second = forms.ChoiceField(label="Second system (filled dots)")
    facet = forms.ChoiceField()

    def __init__(self, parameters: QueryDict, collection: Collection) -> None:
        super().__init__(parameters, collection)
        first = self.offer("first", self.systems, usual_baseline(self.systems))
        others = [name for name in by_mean(self.values) if name != first]
        self.sides = Sides(first, self.offer("second", self.systems, next(iter(others), first)))

    @property
    def pairs(self) -> pd.DataFrame:
        return pd.DataFrame(
            {side: self.values[name] for side, name in self.sides._asdict().items()}
        )

    def figure(self, most_in_table: int | None = None) -> Figure | None:
        """None if no query has both values."""
        if not self.has_scores:
            return None
        complete = self.pairs.dropna()
        numbers = (complete[side].to_numpy(dtype=float).tolist() for side in Sides._fields)
        values = [ValuePair(*row) for row in zip(map(str, complete.index), *numbers, strict=True)]
        if not values:
            return None
        left_out = len(self.pairs) - len(values)
        return comparison_figure(
            values,
            self.sides,
            self.chosen_measure,
            name="comparison",
            title=f"{self.chosen_measure} of {self.sides.first} and {self.sides.second}",
            noun=QUERIES,
            left_out=f"{count_noun(left_out, 'query', 'queries')} without both values left out."
            if left_out
            else "",
            most_in_table=most_in_table,
        )


class FacetPairForm(StoredScoresForm):
    """A system, a measure and a pair of facets."""

    field_order = ["system", "measure", "pair"]
    system = forms.ChoiceField()
    pair = forms.ChoiceField(label="Facets (hollow and filled dots)")

    def __init__(self, parameters: QueryDict, collection: Collection) -> None:
        super().__init__(parameters, collection)
        best = next(iter(by_mean(self.values)), "")
        self.chosen_system = self.offer("system", self.systems, best)
        self.papers = queries_by_paper(collection, set(map(str, self.values.index)))
        self.pairs = {f"{pair.first}~{pair.second}": pair for pair in facet_pairs(self.papers)}
        captions = {
            key: f"{' and '.join(self.sides(key))} ({count_noun(pair.papers, 'query paper')})"
            for key, pair in self.pairs.items()
        }
        self.chosen_pair = self.offer("pair", captions, next(iter(captions), ""))

    def sides(self, key: str) -> Sides:
        pair = self.pairs[key]
        return Sides(self.facet_names[pair.first], self.facet_names[pair.second])

    def figure(self, most_in_table: int | None = None) -> Figure | None:
        """None if no query paper has a value under both facets."""
        if not self.has_scores or not self.pairs:
            return None
        values, lacking = paired_values(
            self.papers, self.values[self.chosen_system], self.pairs[self.chosen_pair]
        )
        if not values:
            return None
        return comparison_figure(
            values,
            self.sides(self.chosen_pair),
            self.chosen_measure,
            name="paired-facets",
            title=f"{self.chosen_measure} of {self.chosen_system} under two facets",
            noun=PAPERS,
            left_out=f"Left out, without a value under both facets: {listed(lacking, 5)}."
            if lacking
            else "",
            most_in_table=most_in_table,
        )


@in_collection(Role.ADMIN)
@require_safe
def compare_systems(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = SystemsForm(request.GET, collection)
    context = _context(request, collection, form)
    return render(request, "evaluation/compare_systems.html", context)


@in_collection(Role.ADMIN)
@require_safe
def paired_facets(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = FacetPairForm(request.GET, collection)
    context = _context(request, collection, form)
    return render(request, "evaluation/paired_facets.html", context)


def _context(
    request: HttpRequest, collection: Collection, form: SystemsForm | FacetPairForm
) -> dict[str, Any]:
    figure = form.figure(MOST_IN_TABLE)
    context: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "state": ScoreState.of(collection, form.source),
    }
    if figure:
        context["finding"] = figure.panels[0].finding
        context["figure"] = shown(
            figure, "comparison-figure", collection.slug, request.GET.urlencode()
        )
    return context


FORMS: dict[str, type[SystemsForm | FacetPairForm]] = {
    "comparison": SystemsForm,
    "paired-facets": FacetPairForm,
}


@in_collection(Role.ADMIN)
@require_safe
def comparison_file(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    if figure not in FORMS:
        raise Http404(f"no figure {figure}")
    drawn = FORMS[figure](request.GET, collection).figure()
    return figure_file([drawn] if drawn else [], figure, extension, collection.slug)
