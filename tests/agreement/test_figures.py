"""The figures of the agreement page."""

from __future__ import annotations

import csv
import io

import pytest

from agreement.figures import MOST_ROWS, counts_in_bins, figures_of
from agreement.services import AgreementReport
from agreement.summary import Tally, cell_of, confusions
from agreement.tables import BY_KEY, QueryLines
from reports.services import compute_report
from tests.support.old_reports import an_old_report
from tests.support.release_scenes import a_judged_collection, an_opened_collection, slot_of
from tests.support.sittings import judge
from tests.support.visits import address, client_of, text_of

NAMES = {"background": "Background", "method": "Method"}


def payload_of(values: dict[str, tuple[float | None, float | None]], facet: str = "method") -> dict:
    rows = [
        {"query": query, "facet": facet, "stage": stage, "n": 5, "missing": 0, "undefined": {}}
        | dict.fromkeys(BY_KEY, value)
        for query, both in values.items()
        for stage, value in zip(("pre", "post"), both, strict=True)
    ]
    return {"queries": rows, "facets": []}


def lines_of(payload: dict) -> QueryLines:
    return QueryLines.of(payload, BY_KEY["alpha"])


def figure(values: dict[str, tuple[float | None, float | None]]):
    (figure,) = figures_of(lines_of(payload_of(values)), {}, NAMES)
    return figure


def test_queries_are_drawn_from_high_to_low_and_undefined_ones_last():
    drawn = figure(
        {"q1_method": (None, 0.5), "q2_method": (0.1, 0.2), "q3_method": (0.9, 1.0)},
    )

    assert [row[0] for row in drawn.rows] == ["q3_method", "q2_method", "q1_method"]


def test_the_picture_says_its_medians_in_words():
    (panel,) = figure({"q1_method": (0.2, 0.8), "q2_method": (0.4, None)}).panels

    assert panel.finding == (
        "Method, 2 queries: median α 0.30 of 2 before and 0.80 of 1 after adjudication."
    )


def test_many_queries_are_drawn_as_a_distribution():
    many = {f"q{n}_method": (n / 3800, min(1.0, n / 1900)) for n in range(3800)}
    drawn = figure(many)

    (panel,) = drawn.panels
    assert len(panel.bars) == 2 * 10
    assert len(drawn.rows) == 10
    assert sum(row[2] for row in drawn.rows) == sum(row[3] for row in drawn.rows) == 3800


def test_a_facet_with_many_queries_turns_all_panels_into_distributions():
    many = payload_of({f"q{n}_method": (0.5, 0.5) for n in range(MOST_ROWS + 1)})
    few = payload_of({"q_background": (-0.25, 1.0)}, facet="background")
    payload = {"queries": many["queries"] + few["queries"], "facets": []}

    (drawn,) = figures_of(lines_of(payload), {}, NAMES)

    assert [panel.texts[0].text for panel in drawn.panels] == [
        "Background: median −0.25 → 1.00",
        "Method: median 0.50 → 0.50",
    ]
    assert drawn.rows[0] == ("−0.3 to −0.2", "Background", 1, 0)


@pytest.mark.parametrize(
    ("value", "place"), [(0.0, 0), (0.1, 1), (0.3, 3), (0.95, 9), (1.0, 9), (-0.01, 0)]
)
def test_a_bin_has_its_lower_end_and_the_last_one_both(value, place):
    counts = counts_in_bins([value], [n / 10 for n in range(11)])

    assert counts.index(1) == place


def test_a_facet_without_labels_has_no_panel_of_grades():
    confusion = {"method": {"labels": [1, 0, 2, 1]}, "background": {"labels": [0, 0, 0, 0]}}

    (drawn,) = figures_of(lines_of({"queries": [], "facets": []}), confusion, NAMES)

    assert [panel.finding for panel in drawn.panels] == [
        "Method, 4 labels: grade 0 25 %, grade 1 0 %, grade 2 50 %, grade 3 25 %."
    ]


def test_labels_are_counted_where_a_slot_has_no_grade_too():
    tally = Tally()
    tally.of_query("q1_method", "method").update([cell_of(None, 2, 2), cell_of(1, 1, 1)])

    assert confusions(tally)["method"].labels == (0, 1, 1, 0)


# Medians


def medians_of(*rows: tuple[str, str, float | None, list[float] | None]):
    facets = [
        {"facet": facet, "stage": stage, "median": {"alpha": median}, "interval": {"alpha": ends}}
        for facet, stage, median, ends in rows
    ]
    queries = payload_of({"q_method": (0.5, 0.75)})["queries"]
    figures = figures_of(lines_of({"queries": queries, "facets": facets}), {}, NAMES)
    return next((figure for figure in figures if figure.name == "medians"), None)


def test_a_median_is_drawn_with_its_interval():
    drawn = medians_of(("method", "pre", 0.5, [0.4, 0.6]), ("method", "post", 0.75, None))

    (panel,) = drawn.panels
    assert panel.finding == "Median α: Method before: 0.5, from 0.4 to 0.6; Method after: 0.75."
    assert [tuple(row) for row in drawn.rows] == [
        ("Method", "before", 0.5, 0.4, 0.6),
        ("Method", "after", 0.75, None, None),
    ]
    assert [stroke.css for stroke in panel.strokes].count("move") == 1
    assert [dot.css for dot in panel.dots] == ["dot-before", "dot-after"]


def test_a_facet_without_a_median_is_not_drawn():
    assert medians_of(("method", "pre", None, None), ("method", "post", None, None)) is None


# On the page


@pytest.fixture
def collection(db):
    collection = a_judged_collection()
    compute_report(AgreementReport("exclude"), collection=collection)
    return collection


def test_the_page_shows_both_figures_with_their_files(collection):
    page = client_of("admin").get(address("agreement"))

    assert "Agreement by query (Krippendorff’s α, ordinal)" in text_of(page)
    assert "Final labels by grade" in text_of(page)
    for figure in page.context["figures"].values():
        for url in (figure.svg, figure.csv):
            assert url.replace("&", "&amp;") in page.text
            assert client_of("admin").get(url).status_code == 200


def test_the_file_has_the_coefficient_of_the_page(collection):
    page = client_of("admin").get(address("agreement"), {"metric": "kappa"})
    svg = client_of("admin").get(page.context["figures"]["agreement"].svg)

    assert "(Cohen’s κ" in svg.text


def test_the_file_of_grades_counts_every_final_label(collection):
    content = client_of("admin").get(address("agreement-figure", "grades", "csv"))
    rows = list(csv.DictReader(io.StringIO(content.text)))
    confusion = collection.stored_reports.get().summary["confusion"]

    assert sum(int(row["labels"]) for row in rows) == sum(
        sum(facet["labels"]) for facet in confusion.values()
    )
    assert sum(float(row["share"]) for row in rows if row["facet"] == "Method") == pytest.approx(1)


def test_a_pair_with_one_judgment_is_in_no_figure(db):
    opened = an_opened_collection()
    judge(slot_of(opened, "q2_method", "d1", 1), 3)
    compute_report(AgreementReport("exclude"), collection=opened)

    page = client_of("admin").get(address("agreement"))

    assert page.context["figures"] == {}
    assert client_of("admin").get(address("agreement-figure", "grades", "csv")).status_code == 404


@pytest.mark.parametrize("missing", ["exclude", "guess"])
def test_without_a_current_report_there_is_no_file(missing, db):
    an_old_report(a_judged_collection(), "exclude")
    url = address("agreement-figure", "agreement", "svg")

    assert client_of("admin").get(url, {"missing": missing}).status_code == 404
