"""The page *Compare*: two systems, or all systems against one, and facets; and its files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.choices import choices_address
from evaluation.comparison.figures import (
    PAPERS,
    QUERIES,
    Sides,
    ValuePair,
    baseline_figure,
    baseline_finding,
    by_difference,
    comparison_figure,
    finding_of,
    verdict_sentence,
)
from evaluation.comparison.forms import CompareForm
from evaluation.comparison.paired_facets import FacetPair, facet_pairs, paired_values
from evaluation.comparison.paired_facets import queries_by_paper as scored_queries_by_paper
from evaluation.significance.stored_values import ScoreState
from evaluation.significance.tables import (
    MOST_SYSTEMS,
    PAIRS,
    SYSTEMS,
    difference_sentence,
    matrix_of,
    page_rows,
    pair_lines,
)
from scoring.statistics.comparison import SystemComparison, compare_all_pairs
from web.choice_links import ChoiceLink
from web.figure_files import figure_file, shown
from web.figures import Figure
from web.tables.cells import SHORT_PAGE_ROWS, numbered_page
from web.tables.columns import whole_file
from web.words import count_noun, listed

OPEN_ROWS = 12  # a table of more systems is folded
PAIR_PARAMETER = "pair"


class TwoSystems:
    """The values of two systems on each query that has both."""

    def __init__(self, form: CompareForm) -> None:
        self.form = form

    @cached_property
    def values(self) -> list[ValuePair]:
        """The largest difference first. Each leads to the ranked lists of its query."""
        names = [name for name in self.form.sides if name]
        if len(names) < 2:
            return []
        complete = self.form.values[names].dropna()
        address = reverse("ranked-lists", args=[self.form.collection.slug])
        first, second = (complete[name].to_numpy(dtype=float).tolist() for name in names)
        return by_difference(
            [
                ValuePair(*row, f"{address}?{urlencode(self._names(row[0]))}")
                for row in zip(map(str, complete.index), first, second, strict=True)
            ]
        )

    def _names(self, query: str) -> dict[str, str]:
        return {**self.form.sides._asdict(), "query": query}

    @property
    def figure(self) -> Figure | None:
        """None if no query has both values."""
        if not self.values:
            return None
        left_out = len(self.form.values) - len(self.values)
        measure, sides = self.form.measure_key, self.form.sides
        return comparison_figure(
            self.values,
            sides,
            measure,
            name="comparison",
            title=f"{measure} of {sides.first} and {sides.second}",
            noun=QUERIES,
            left_out=f"{count_noun(left_out, 'query', 'queries')} without both values left out."
            if left_out
            else "",
            same_table="per-query",
        )


class PairedFacets:
    """The values of one system on the query papers that are judged under two facets."""

    def __init__(self, form: CompareForm) -> None:
        self.form, self.system = form, form.best
        scored = set(map(str, form.of_all_facets.index))
        self.papers = scored_queries_by_paper(form.collection, scored)
        self.pairs = {f"{pair.first}~{pair.second}": pair for pair in facet_pairs(self.papers)}
        chosen = form.parameters.get(PAIR_PARAMETER, "")
        self.chosen = chosen if chosen in self.pairs else next(iter(self.pairs), "")

    def _sides(self, pair: FacetPair) -> Sides:
        names = self.form.facet_names
        return Sides(names[pair.first], names[pair.second])

    @property
    def options(self) -> list[ChoiceLink]:
        """The pairs of facets, if there are several."""
        kept = {**self.form.chosen}
        links = [
            ChoiceLink(
                f"{' and '.join(self._sides(pair))} ({PAPERS.phrase(pair.papers)})",
                f"?{urlencode({**kept, PAIR_PARAMETER: key})}#facets",
                key == self.chosen,
            )
            for key, pair in self.pairs.items()
        ]
        return links if len(links) > 1 else []

    @property
    def figure(self) -> Figure | None:
        """None if no query paper has a value under both facets."""
        if not self.pairs:
            return None
        pair = self.pairs[self.chosen]
        values, lacking = paired_values(self.papers, self.form.of_all_facets[self.system], pair)
        if not values:
            return None
        slug = self.form.collection.slug
        return comparison_figure(
            [row._replace(url=reverse("document", args=[slug, row.name])) for row in values],
            self._sides(pair),
            self.form.measure_key,
            name="paired-facets",
            title=f"{self.form.measure_key} of {self.system} under two facets",
            noun=PAPERS,
            left_out=f"Left out, without a value under both facets: {listed(lacking, 5)}."
            if lacking
            else "",
        )


@in_collection(Role.ADMIN)
@require_safe
def compare_systems(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = CompareForm(request.GET, collection)
    context: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "kept": form.kept,
        "state": ScoreState.of(collection, form.source),
    }
    if form.has_scores:
        parameters = request.GET.urlencode()
        comparison = form.comparison
        context |= {
            "comparison": comparison,
            "rows": page_rows(comparison),
            "is_open": len(comparison.rows) <= OPEN_ROWS,
            "sentence": difference_sentence(comparison, form.measure_key),
            "most_systems": MOST_SYSTEMS,
            "parameters": parameters,
        }
        context |= _pair(request, form, comparison) if form.other else _baseline(form, comparison)
        if 2 <= len(comparison.rows) <= MOST_SYSTEMS:
            context["matrix"] = matrix_of(compare_all_pairs(form.values))
        facets = PairedFacets(form)
        context |= {"facets": facets, "facets_figure": facets.figure}
        for name in ("figure", "facets_figure"):
            if context[name]:
                context[name] = shown(
                    context[name], "comparison-figure", collection.slug, parameters
                )
    return render(request, "evaluation/compare.html", context)


def _baseline(form: CompareForm, comparison: SystemComparison) -> dict[str, Any]:
    return {
        "finding": baseline_finding(comparison, form.measure_key),
        "figure": _baseline_figure(form, comparison),
    }


def _baseline_figure(form: CompareForm, comparison: SystemComparison) -> Figure | None:
    slug = form.collection.slug
    return baseline_figure(
        comparison,
        form.measure_key,
        lambda name: choices_address(
            "compare-systems", [slug], form.kept, first=form.baseline, second=name
        ),
    )


def _pair(request: HttpRequest, form: CompareForm, comparison: SystemComparison) -> dict[str, Any]:
    pair = TwoSystems(form)
    page = numbered_page(pair.values, request, anchor="#per-query", size=SHORT_PAGE_ROWS)
    finding = finding_of(pair.values, form.sides, form.measure_key, QUERIES) if pair.values else ""
    other = next(row for row in comparison.rows if row.system == form.other)
    return {
        "finding": f"{finding} {verdict_sentence(other, form.baseline)}".strip(),
        "figure": pair.figure,
        "page": page,
        "is_paged": "page" in request.GET,
    }


FIGURES: dict[str, Callable[[CompareForm], Figure | None]] = {
    "baseline": lambda form: _baseline_figure(form, form.comparison),
    "comparison": lambda form: TwoSystems(form).figure,
    "paired-facets": lambda form: PairedFacets(form).figure,
}


@in_collection(Role.ADMIN)
@require_safe
def comparison_file(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    form = CompareForm(request.GET, collection)
    if figure not in FIGURES or not form.has_scores:
        raise Http404(f"no figure {figure}")
    drawn = FIGURES[figure](form)
    return figure_file([drawn] if drawn else [], figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def significance_csv(request: HttpRequest, collection: Collection) -> StreamingHttpResponse:
    form = CompareForm(request.GET, collection)
    rows = form.comparison.rows if form.has_scores else []
    return whole_file(collection.slug, SYSTEMS, rows)


@in_collection(Role.ADMIN)
@require_safe
def all_pairs_csv(request: HttpRequest, collection: Collection) -> StreamingHttpResponse:
    form = CompareForm(request.GET, collection)
    rows = pair_lines(compare_all_pairs(form.values)) if form.has_scores else []
    return whole_file(collection.slug, PAIRS, rows)
