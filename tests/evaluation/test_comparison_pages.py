"""The figures of two values for each query, and their pages."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from corpus.services import create_query
from evaluation.comparison.figures import (
    MOST_ROWS,
    PAPERS,
    QUERIES,
    ROWS,
    Sides,
    ValuePair,
    comparison_figure,
)
from evaluation.comparison.paired_facets import FacetPair, facet_pairs, paired_values
from scoring.models import Fold, FoldPlan
from tests.support.factories import DocumentFactory
from tests.support.score_scenes import store_scores
from tests.support.visits import address, csv_rows, text_of
from web.figure_panels import MOST_BARS, PANEL_WIDTH
from web.templatetags.figures import drawing

SIDES = Sides("bm25", "encoder")


def a_figure(values: list[ValuePair], **more: object):
    return comparison_figure(
        values, SIDES, "AP", name="comparison", title="AP", noun=QUERIES, **more
    )


def test_rows_are_sorted_by_difference_and_the_finding_says_it_in_words():
    figure = a_figure(
        [ValuePair("q1", 0.5, 0.25), ValuePair("q2", 0.1, 0.4), ValuePair("q3", 0.2, 0.2)]
    )

    assert [row[0] for row in figure.rows] == ["q2", "q3", "q1"]
    assert figure.rows[0][1:] == pytest.approx((10, 40, 30))
    (panel,) = figure.panels
    assert panel.finding == (
        "AP over 3 queries: the mean of encoder minus bm25 is +1.67 percentage points. "
        "encoder is higher on 1, equal on 1 and lower on 1. "
        "The differences range from −25 (q1) to +30 (q2)."
    )
    assert panel.dots[0].title == "q2: 10 bm25"
    assert [key.label for key in figure.keys] == ["bm25", "encoder"]


def test_many_queries_are_drawn_in_panels_and_very_many_as_bars_of_a_fixed_number():
    values = [ValuePair(f"q{number:04}", 0.5, number / 10_000) for number in range(10_000)]

    assert [len(panel.dots) for panel in a_figure(values[: ROWS + 1]).panels] == [2 * ROWS, 2]
    assert len(a_figure(values[:MOST_ROWS]).panels) == MOST_ROWS // ROWS
    many = a_figure(values)
    (panel,) = many.panels
    assert len(panel.bars) == MOST_BARS
    assert max(bar.x + bar.width for bar in panel.bars) <= PANEL_WIDTH + 1
    assert len(many.rows) == 10_000
    assert len(many.table) == 200


def test_papers_under_two_facets_have_the_mean_of_their_queries_under_each():
    papers = {
        "d1": {"background": ["d1_b"], "method": ["d1_m", "d1_m-2"]},
        "d2": {"background": ["d2_b"], "method": ["d2_m"]},
        "d3": {"method": ["d3_m"]},
    }
    (pair,) = facet_pairs(papers)
    assert pair == FacetPair("background", "method", 2)
    values = pd.Series({"d1_b": 0.5, "d1_m": 0.25, "d1_m-2": 0.75, "d2_b": 0.5, "d2_m": math.nan})
    assert paired_values(papers, values, pair) == ([ValuePair("d1", 0.5, 0.5)], ["d2"])


def test_a_row_leads_to_its_page_in_the_panel_and_in_the_table():
    figure = a_figure([ValuePair("q1", 0.1, 0.4, "/lists/q1"), ValuePair("q2", 0.2, 0.2)])

    (link,) = figure.panels[0].links
    assert (link.url, link.name) == ("/lists/q1", "q1: 10 bm25, 40 encoder")
    assert 'href="/lists/q1" tabindex="-1"' in drawing(figure.panels[0])
    assert [row[0].url for row in figure.table] == ["/lists/q1", ""]


@pytest.fixture
def queries(collection) -> list[str]:
    """Three query papers, each under two facets."""
    papers = DocumentFactory.create_batch(3, collection=collection)
    return [
        create_query(collection=collection, docno=paper.docno, facet_key=facet).name
        for paper in papers
        for facet in ("background", "method")
    ]


@pytest.fixture
def scored(collection, queries):
    numbers = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    store_scores(
        collection,
        {
            "bm25": dict(zip(queries, numbers, strict=True)),
            "worse": dict.fromkeys(queries, 0.05),
            "best": dict.fromkeys(queries, 0.55),
        },
    )
    return collection


@pytest.mark.django_db
def test_the_page_without_scores_says_what_to_do(admin, collection):
    page = admin.get(address("compare-systems"))
    assert "No scores yet" in text_of(page)
    assert csv_rows(admin.get(address("significance-csv"))) == []


@pytest.mark.django_db
def test_two_systems_are_compared_on_each_query(admin, scored, queries):
    choices = {"first": "bm25", "second": "best", "facet": "method"}
    page = admin.get(address("compare-systems"), choices)

    assert page.context["finding"].startswith(
        "nDCG@10 over 3 queries: the mean of best minus bm25 is +15 percentage points."
    )
    assert "The difference is not significant at 5 %" in page.context["finding"]
    lists = f"{address('ranked-lists')}?first=bm25&amp;second=best&amp;query={queries[1]}"
    assert page.text.count(lists) == 2  # of the dot and of the row
    assert address("query", queries[1]) in page.text
    assert address("system", "worse") in page.text
    assert [row.name for row in page.context["page"].rows] == queries[1::2]


@pytest.mark.django_db
def test_one_system_is_compared_under_two_facets(admin, scored):
    page = admin.get(address("compare-systems"), {"second": "bm25"})
    figure = page.context["facets_figure"].figure
    assert figure.title == "nDCG@10 of bm25 under two facets"
    assert figure.panels[0].finding.startswith(
        f"nDCG@10 over 3 {PAPERS.many}: the mean of Method minus Background is +10"
    )
    assert address("document", figure.rows[0][0]) in page.text


@pytest.mark.django_db
def test_links_keep_the_choices_under_the_names_of_the_leaderboard(admin, scored):
    choices = {"profile": "trec", "measure": "AP(rel=2)", "facet": "method", "split": "dev"}
    page = admin.get(address("compare-systems"), choices)
    assert page.context["form"].kept == choices | {"labels": "final"}
    kept = (
        "labels=final&amp;profile=trec&amp;measure=AP%28rel%3D2%29&amp;facet=method&amp;split=dev"
    )
    assert f"{address('leaderboard')}?{kept}" in page.text


@pytest.mark.django_db
def test_the_split_of_folds_selects_the_queries_of_the_leaderboard(admin, scored, queries):
    FoldPlan.objects.create(collection=scored, imported_from="folds.json")
    for number, name in enumerate(queries):
        Fold.objects.create(query=scored.queries.get(name=name), number=number % 3)
    for split, expected in (("dev", 4), ("test", 4), ("all", 6), ("x", 6)):
        page = admin.get(address("compare-systems"), {"split": split})
        assert page.context["comparison"].queries == expected


@pytest.mark.django_db
def test_the_replaced_addresses_lead_to_the_same_comparison(admin, scored):
    old = admin.get(address("significance"), {"baseline": "best", "facet": "method"})
    assert old.url == f"{address('compare-systems')}?facet=method&first=best"
    old = admin.get(address("paired-facets"), {"system": "bm25", "pair": "background~method"})
    assert old.url == f"{address('compare-systems')}?pair=background~method&second=bm25#facets"


@pytest.mark.django_db
def test_figures_are_files(admin, scored):
    choices = "?second=best"
    for name in ("baseline", "comparison", "paired-facets"):
        for extension in ("svg", "pdf", "csv"):
            file = address("comparison-figure", name, extension)
            assert admin.get(f"{file}{choices}").status_code == 200
    assert admin.get(address("comparison-figure", "other", "svg")).status_code == 404
