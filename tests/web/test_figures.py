"""The geometry of figures, and their files."""

from __future__ import annotations

import csv
import io
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.http import Http404
from django.template.loader import render_to_string

from web.figure_files import ShownFigure, figure_file
from web.figure_panels import (
    BeforeAfter,
    Series,
    Spread,
    columns,
    heat_map,
    moves,
    spreads,
)
from web.figures import (
    FILE_WIDTH,
    GAP,
    MOST_TABLE_ROWS,
    Figure,
    Key,
    Panel,
    PixelScale,
    clipped,
    number_text,
    sheet_of,
    ticks,
)

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def a_figure(**changes: object) -> Figure:
    fields: dict = {
        "name": "grades",
        "title": "Grades & labels",
        "note": "The share of each grade.",
        "panels": [
            moves("Method", "Method: one query.", [BeforeAfter("q<1>", 0.25, 0.75)], 0, 1),
            columns("Two", "Two: 3 of each.", ["a", "b"], [Series("n", ["g0", "g3"], [3, 3])]),
        ],
        "head": ("query", "before"),
        "rows": [("=q1", 0.123456789), ("q2", None), ("q3", 1204)],
        "keys": [Key("dot-before", "before", is_dot=True), Key("g1", "one")],
    }
    return Figure(**fields | changes)


def parsed(figure: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(figure_file([figure], figure.name, "svg", "small").text)


# Scales and texts


def test_a_scale_maps_its_ends_and_what_lies_between():
    scale = PixelScale(-1, 1, 100, 300)

    assert [scale.at(value) for value in (-1, 0, 0.5, 1)] == [100, 200, 250, 300]


def test_a_scale_without_a_range_maps_all_to_its_start():
    assert PixelScale(2, 2, 10, 90).at(2) == 10


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.25, 0.5, 0.75, 1]),
        (0, 100, [0, 25, 50, 75, 100]),
        (-0.23, 1, [0, 0.5, 1]),
        (0, 37, [0, 10, 20, 30]),
        (0, 3800, [0, 1000, 2000, 3000]),
        (5, 5, [5]),
    ],
)
def test_ticks_are_round_numbers_within_the_range(low, high, expected):
    assert ticks(low, high) == expected


def test_numbers_have_a_real_minus_sign_and_separated_thousands():
    assert [number_text(value) for value in (-0.25, 0.0, 1204, 0.123456)] == [
        "−0.25",
        "0",
        "1,204",
        "0.123",
    ]


def test_a_long_name_is_clipped_to_its_room():
    assert clipped("specter", 100) == "specter"
    assert clipped("a-very-long-run-name", 74) == "a-very-lo…"


# Panels


def test_an_undefined_value_has_no_dot_and_no_line():
    panel = moves("Method", "", [BeforeAfter("q1", 0.5, None), BeforeAfter("q2", None, None)], 0, 1)

    assert [dot.css for dot in panel.dots] == ["dot-before"]
    assert [stroke for stroke in panel.strokes if stroke.css == "move"] == []


def test_bars_are_as_long_as_their_counts_and_an_empty_column_has_none():
    panel = columns("", "", ["a", "b", "c"], [Series("n", ["g0"], [4, 2, 0])])

    first, second = panel.bars
    assert first.height == 2 * second.height
    assert first.y + first.height == second.y + second.height


def test_columns_of_several_panels_share_a_scale():
    few, many = (
        columns("", "", ["a"], [Series("n", ["g0"], [count])], top=100) for count in (10, 100)
    )

    assert many.bars[0].height == 10 * few.bars[0].height


def test_a_spread_has_its_box_over_the_middle_half():
    panel = spreads("", "", [Spread("bm25", 1, 25, 50, 75, 100)], 100)

    (box,), (line,) = panel.bars, [each for each in panel.strokes if each.css == "move"]
    assert line.x1 < box.x < panel.dots[0].x < box.x + box.width < line.x2


def test_a_heat_map_leaves_out_the_diagonal_and_what_is_undefined():
    panel = heat_map("", ["a", "b"], [[1.0, 0.25], [None, 1.0]])

    (cell,) = panel.bars
    assert (cell.title, cell.fill) == ("a and b: 25.0 %", "#d6e9e7")
    assert cell.x > panel.width / 2


# Sheets and files


def test_panels_fill_rows_of_a_sheet_and_none_leaves_it():
    sheet = sheet_of(a_figure(panels=[Panel("", 100, 300)] * 7))

    assert sheet.width <= FILE_WIDTH + 2 * GAP
    assert [place.x for place in sheet.panels[:3]] == [24, 348, 672]
    assert sheet.panels[3].y > sheet.panels[0].y
    assert all(place.x + place.panel.width <= sheet.width - GAP for place in sheet.panels)
    assert sheet.panels[-1].y + 100 <= sheet.height


def test_a_long_note_and_legend_are_broken_into_lines():
    keys = [Key("g1", "a rather long label of a legend")] * 3
    sheet = sheet_of(a_figure(note="word " * 60, panels=[Panel("", 10)], keys=keys))

    assert len(sheet.note) > 3
    assert len({place.y for place in sheet.keys}) == 3


def test_the_svg_file_stands_alone():
    root = parsed(a_figure())

    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title") == "Grades & labels"
    assert root.findtext(f"{SVG}desc") == "Method: one query. Two: 3 of each."
    assert "q<1>: 0.25 before" in [title.text for title in root.iter(f"{SVG}title")]
    assert not re.search(r"var\(|https?://(?!www\.w3\.org)", ElementTree.tostring(root).decode())


def test_every_class_of_a_panel_has_a_rule_on_pages_and_in_files():
    panels = [
        *a_figure().panels,
        spreads("", "", [Spread("a", 1, 2, 3, 4, 5)], 5),
        heat_map("", ["a", "b"], [[None, 0.5], [0.5, None]]),
    ]
    marks = [mark for p in panels for mark in (*p.strokes, *p.bars, *p.dots, *p.texts)]
    page = (ROOT / "static/css/admin.css").read_text()
    file = (ROOT / "templates/web/figure_file.svg").read_text()

    for css in {mark.css for mark in marks} - {"", "ink"}:
        assert f".{css} {{" in page
        assert f".{css} {{" in file


def test_files_have_the_light_colours_of_the_pages():
    tokens = (ROOT / "static/css/qrelsmith.css").read_text()
    file = (ROOT / "templates/web/figure_file.svg").read_text()
    light = set(re.findall(r"light-dark\((#\w{6})", tokens))

    assert set(re.findall(r"#\w{6}\b", file)) <= light


def test_the_pdf_file_has_the_same_bytes_each_time_and_one_truetype_font():
    shares = [[None, 0.25, 0.5], [0.5, None, 0.75], [0.1, 0.9, None]]
    heat = heat_map("Shares.", ["a", "b", "c"], shares)
    figure = a_figure(title="ρ of $a → $b", panels=[*a_figure().panels, heat])

    contents = {figure_file([figure], "grades", "pdf", "small").content for _ in range(10)}

    (content,) = contents
    assert b"CreationDate" not in content
    assert content.count(b"/FontFile2") == 1
    assert b"/Subtype /Type3" not in content


def test_the_pdf_file_has_the_marks_of_the_svg_file_in_its_order_and_nine_point_text():
    figure = a_figure()
    response = figure_file([figure], "grades", "pdf", "small")
    width, height = (0.75 * length for length in (sheet_of(figure).width, sheet_of(figure).height))

    assert response["Content-Type"] == "application/pdf"
    assert f"/MediaBox [0 0 {width:g} {height:g}]".encode() in response.content
    streams = re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", response.content, re.DOTALL)
    drawing = next(text for text in map(zlib.decompress, streams) if b" Tf\n" in text)
    grid_line, bar = b"0.8627451 0.84705883 0.8117647 SCN", b"0.3529412 0.3529412 scn"
    assert drawing.rindex(grid_line) < drawing.rindex(bar)  # a bar hides the lines behind it


def test_the_csv_file_has_full_precision_and_no_formula():
    content = figure_file([a_figure()], "grades", "csv", "small")

    assert list(csv.reader(io.StringIO(content.text))) == [
        ["query", "before"],
        ["'=q1", "0.123456789"],
        ["q2", ""],
        ["q3", "1204"],
    ]
    assert 'filename="small-grades.csv"' in content["Content-Disposition"]


def test_the_table_of_a_page_is_rounded():
    figure = a_figure()

    assert [[cell.text for cell in row] for row in figure.table] == [
        ["=q1", "0.123"],
        ["q2", "–"],
        ["q3", "1,204"],
    ]
    assert [cell[:2] for cell in figure.columns] == [("Query", False), ("Before", True)]


def test_a_page_has_the_first_rows_of_a_long_table_and_says_so():
    rows = [(f"q{number}", number) for number in range(MOST_TABLE_ROWS + 2)]
    figure = a_figure(rows=rows)

    page = render_to_string("web/_figure.html", {"shown": ShownFigure(figure, "", "", "/all.csv")})

    assert page.count("<tr>") == MOST_TABLE_ROWS + 1  # with the head
    assert "The first 200 of 202 rows. Download CSV for all of them." in " ".join(page.split())
    content = figure_file([figure], figure.name, "csv", "small")
    assert len(content.text.splitlines()) == len(rows) + 1


@pytest.mark.parametrize(("name", "extension"), [("other", "svg"), ("grades", "png")])
def test_an_unknown_figure_or_format_is_not_found(name, extension):
    with pytest.raises(Http404):
        figure_file([a_figure()], name, extension, "small")
