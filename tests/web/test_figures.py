"""Figures: every row is drawn in its place, or said in words."""

from __future__ import annotations

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from web.figures import Bars, Dots, Heat, Lines, ticks
from web.templatetags.ui import decimals, duration, figure, joined, plural


def test_dots_stand_where_their_values_are():
    rows = [
        {"label": "a", "value": 0.5, "low": 0.25, "high": 0.75},
        {"label": "b", "value": None, "reason": "no pairs"},
    ]
    drawing = Dots("rho", "ρ by query", "ρ", rows, low=0, high=1)
    drawn = drawing.drawn
    assert (drawn[0]["x_low"], drawn[0]["x_value"], drawn[0]["x_high"]) == (46.75, 63.5, 80.25)
    svg = figure({}, drawing)
    assert "no pairs" in svg
    assert svg.count("<circle") == 1


def test_text_of_people_is_escaped():
    rows = [{"label": "<script>alert(1)</script>", "value": 1.0}]
    for drawing in (Dots("x", "x", "x", rows), Bars("x", "x", "x", rows)):
        assert "<script>" not in figure({}, drawing)


def test_a_second_value_is_a_hollow_dot():
    drawing = Dots("rho", "ρ by query", "ρ", [{"label": "a", "value": 0.5, "after": 1.0}])
    assert (drawing.high, drawing.drawn[0]["x_after"]) == (1.0, 97)
    assert figure({}, drawing).count("<circle") == 2
    assert drawing.csv == [["label", "value", "after"], ["a", 0.5, 1.0]]


def test_the_numbers_of_a_figure_have_the_address_of_its_page():
    request = RequestFactory().get("/", {"missing": "zero"})
    assert "?missing=zero&amp;figure=rho" in figure({"request": request}, Dots("rho", "ρ", "ρ", []))


def test_a_bar_begins_at_zero():
    first, second = Bars("n", "Pairs", "pairs", [{"label": "a", "value": 10}, {"label": "b", "value": 5}]).drawn
    assert first["x"] == second["x"]
    assert first["width"] == pytest.approx(2 * second["width"], abs=0.01)


def test_the_darkest_cell_is_the_largest():
    drawing = Heat("h", "Confusion", ["0", "1"], ["0", "1"], [[90, 10], [None, 0]])
    shades = [[cell["shade"] for cell in row["cells"]] for row in drawing.drawn]
    assert shades == [[9, 1], [0, 0]]
    assert drawing.csv[1] == ["0", 90, 10]


def test_lines_cover_their_plot():
    drawing = Lines("l", "Recall", "depth", "recall", [{"label": "a", "points": [(1, 0.0), (3, 1.0)]}])
    assert drawing.drawn[0]["points"] == "0.0,1000.0 1000.0,0.0"
    assert "polyline" in figure({}, drawing)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_inside(low, span):
    marks = ticks(low, low + span)
    assert len(marks) <= 7
    assert all(low - span * 1e-6 <= mark <= (low + span) + span * 1e-6 for mark in marks)


def test_words():
    assert [duration(x) for x in (None, 12, 240, 7200)] == ["–", "12 s", "4 min", "2.0 h"]
    assert [plural(n, "pair,pairs") for n in (1, 1000)] == ["1 pair", "1,000 pairs"]
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert [decimals(x) for x in (None, -0.5, -1e-9)] == ["–", "−0.50", "0.00"]
