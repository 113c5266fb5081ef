"""The intervals that are given."""

from __future__ import annotations

import re

import pytest

from evaluation.label_effects.rankings import measure_names
from evaluation.prediction_powered.limits import FEWEST, FEWEST_LEFT, reason_against
from tests.docs.markdown import ROOT

OFFERED = ("NDCG%20", "nDCG@10", "AP (mdcr)", "AP(rel=2)", "RBP(p=0.8,rel=2)", "Bpref(rel=2)")


@pytest.mark.parametrize("measure", OFFERED)
def test_simulated_measures_are_given_from_sixteen_judged_queries_on(measure):
    assert reason_against(FEWEST, FEWEST_LEFT, measure) == ""
    assert f"{measure} needs 16" in reason_against(FEWEST - 1, 100, measure)
    assert "fewer than 5 queries left" in reason_against(100, FEWEST_LEFT - 1, measure)


def test_precision_needs_more_queries():
    assert reason_against(50, 100, "P@20") == ""
    assert "P@20 needs 50" in reason_against(49, 100, "P@20")


def test_measures_with_wrong_intervals_are_refused():
    for measure in ("RP", "R@20", "R(rel=2)@100", "RR", "Success@5"):
        assert f"Intervals of {measure} are not given" in reason_against(500, 500, measure)


def test_the_measure_that_a_page_offers_first_has_intervals():
    given = [name for name in measure_names(2) if not reason_against(50, 50, name)]
    assert {"NDCG%20", "AP(rel=2)", "P@20"} <= set(given)


def test_the_documented_coverage_is_right_wherever_intervals_are_given():
    """The tables of the docs, of 1,000 draws: 93 % to 97 %."""
    page = (ROOT / "docs" / "prediction_powered.md").read_text()
    checked = 0
    for queries, part in zip((33, 225), page.split("Coverage in percent:")[1:], strict=True):
        table = [
            line.strip("| ").split(" | ") for line in part.strip().split("\n\n")[0].split("\n")
        ]
        sizes = [int(head.removeprefix("n = ")) for head in table[0][2:]]
        for measure, _, *cells in table[2:]:
            for size, cell in zip(sizes, cells, strict=True):
                if not reason_against(size, queries - size, measure):
                    mean = re.match(r"[\d.]+", cell)
                    assert 93 <= float(mean[0]) <= 97, (measure, size, cell)
                    checked += 1
    assert checked > 150
