"""Panels of parts, ranges and curves: the places of their marks."""

from itertools import pairwise

import pytest

from web.figure_panels import (
    COLUMNS_BOTTOM,
    EDGE,
    GUTTER,
    MOST_POINTS,
    PANEL_WIDTH,
    PartOfNumber,
    Range,
    curve,
    parts,
    ranges,
)


def test_the_bar_of_a_part_lies_over_that_of_its_total():
    rows = [PartOfNumber("bm25", 10, 4), PartOfNumber("word", 5, 0), PartOfNumber("none", 0, 0)]
    panel = parts("Relevant", "The finding.", rows, ("relevant", "unique"))
    assert [(bar.css, bar.title) for bar in panel.bars] == [
        ("g1", "bm25: 10 relevant, 4 unique"),
        ("done", "bm25: 10 relevant, 4 unique"),
        ("g1", "word: 5 relevant, 0 unique"),
    ]
    total, part, _ = panel.bars
    assert (total.x, total.y) == (part.x, part.y)
    assert part.width == pytest.approx(0.4 * total.width, abs=0.1)
    assert total.x + total.width == PANEL_WIDTH - EDGE


def test_a_range_goes_from_its_lower_to_its_upper_bound():
    row = Range("bm25", 0.2, 0.3, 0.8)
    panel = ranges("Bounds", "The finding.", [row], ("low", "condensed", "high"))
    line = next(stroke for stroke in panel.strokes if stroke.css == "move")
    value, low = panel.dots
    assert (line.x1, line.x2) == (low.x, PANEL_WIDTH - EDGE)
    assert GUTTER < low.x < value.x < line.x2
    assert value.title == "bm25: low 0.2, condensed 0.3, high 0.8"


def test_a_curve_goes_from_0_to_the_last_value_and_has_few_points():
    values = list(range(1, 1001))
    steps = [
        stroke for stroke in curve("", "", values, "documents").strokes if stroke.css == "curve"
    ]
    assert len(steps) <= MOST_POINTS
    assert steps[0].y1 == COLUMNS_BOTTOM
    assert steps[-1].x2 == PANEL_WIDTH - EDGE
    assert all(step.y2 <= step.y1 for step in steps)
    assert all(left.x2 == right.x1 for left, right in pairwise(steps))


def test_a_curve_of_nothing_is_an_empty_axis():
    assert not [
        stroke for stroke in curve("", "", [], "documents").strokes if stroke.css == "curve"
    ]
