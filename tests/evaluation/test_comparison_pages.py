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
from tests.support.factories import DocumentFactory
from tests.support.score_scenes import store_scores
from tests.support.visits import address, text_of
from web.figure_panels import MOST_BARS, PANEL_WIDTH

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
    many = a_figure(values, most_in_table=200)
    (panel,) = many.panels
    assert len(panel.bars) == MOST_BARS
    assert max(bar.x + bar.width for bar in panel.bars) <= PANEL_WIDTH + 1
    assert len(many.rows) == 200
    assert "The table has the first 200; the CSV file has all." in many.note
    assert len(a_figure(values).rows) == 10_000


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


@pytest.mark.django_db
def test_both_pages_draw_their_figure_and_offer_its_files(
    admin, collection, django_assert_max_num_queries
):
    papers = DocumentFactory.create_batch(3, collection=collection)
    queries = [
        create_query(collection=collection, docno=paper.docno, facet_key=facet).name
        for paper in papers
        for facet in ("background", "method")
    ]
    for page in ("compare-systems", "paired-facets"):
        assert "No scores yet" in text_of(admin.get(address(page)))
    numbers = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    store_scores(
        collection,
        {
            "bm25": dict(zip(queries, numbers, strict=True)),
            "worse": dict.fromkeys(queries, 0.05),
            "best": dict.fromkeys(queries, 0.55),
        },
    )

    with django_assert_max_num_queries(16):
        systems = admin.get(address("compare-systems"), {"facet": "method"})
    assert systems.context["form"].sides == ("bm25", "best")
    assert systems.context["finding"].startswith("nDCG@10 over 3 queries")
    with django_assert_max_num_queries(16):
        facets = admin.get(address("paired-facets"), {"system": "bm25"})
    assert facets.context["finding"].startswith(
        f"nDCG@10 over 3 {PAPERS.many}: the mean of Method minus Background is +10"
    )
    for page, name in ((systems, "comparison"), (facets, "paired-facets")):
        for extension in ("svg", "pdf", "csv"):
            file = address("comparison-figure", name, extension)
            assert file in page.text
            assert admin.get(file).status_code == 200
    assert admin.get(address("comparison-figure", "other", "svg")).status_code == 404
