"""The final labels of the same document under two facets."""

from __future__ import annotations

import csv
import io

import pytest

from adjudication.standing import LabelledPair, Standing
from agreement.facet_pairs import FacetPairCounts
from agreement.services import AgreementReport
from agreement.tables import facet_pair_matrices
from reports.services import compute_report
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, text_of

FACETS = ["method", "background", "result"]  # not in the order of the alphabet


def pair(query, docno, final):
    return LabelledPair(query, query.split("_")[1], docno, Standing.AGREED, final, final, final)


def counted(*pairs, papers):
    counts = FacetPairCounts(papers)
    assert list(counts.reading(pairs)) == list(pairs)
    return counts.as_json(FACETS, range(4))


PAPERS = {"q1_background": 1, "q1_method": 1, "q2_background": 2, "q2_method": 2}


def test_documents_with_a_label_under_both_facets_are_counted():
    (row,) = counted(
        pair("q1_background", "d1", 3),
        pair("q1_background", "d2", 1),
        pair("q1_background", "d3", 0),
        pair("q1_method", "d1", 0),
        pair("q1_method", "d2", None),
        pair("q1_method", "d4", 2),
        pair("q2_background", "d1", 3),
        pair("q2_method", "d1", 0),
        papers=PAPERS,
    )

    assert (row["first"], row["second"]) == ("method", "background")
    assert row["counts"] == [[0, 0, 0, 2], [0] * 4, [0] * 4, [0] * 4]


def test_three_facets_make_three_comparisons():
    rows = counted(
        *(pair(f"q1_{facet}", "d1", grade) for grade, facet in enumerate(sorted(FACETS))),
        papers={f"q1_{facet}": 1 for facet in FACETS},
    )

    found = {(row["first"], row["second"]): row["counts"] for row in rows}
    assert list(found) == [("method", "background"), ("method", "result"), ("background", "result")]
    assert found["method", "background"][1][0] == 1
    assert found["method", "result"][1][2] == 1
    assert found["background", "result"][0][2] == 1


def test_the_same_document_under_two_papers_is_not_compared():
    rows = counted(pair("q1_background", "d1", 3), pair("q2_method", "d1", 0), papers=PAPERS)

    assert rows == []


def test_the_queries_of_a_paper_need_not_follow_each_other():
    (row,) = counted(
        pair("q1_background", "d1", 1),
        pair("q1b_method", "d1", 2),
        pair("q1_method", "d1", 1),
        papers=PAPERS,
    )

    assert row["counts"][1][1] == 1


def test_the_shares_are_of_all_documents_and_the_heat_is_of_the_row():
    rows = [{"first": "a", "second": "b", "counts": [[6, 2], [0, 2]]}]

    (matrix,) = facet_pair_matrices(rows, {"a": "A", "b": "B"})

    assert (matrix.rater, matrix.other, matrix.pairs) == ("A", "B", 10)
    assert [[cell.percent for cell in row.cells] for row in matrix.rows] == [[60, 20], [0, 20]]
    assert [[cell.heat for cell in row.cells] for row in matrix.rows] == [[7, 2], [0, 9]]


# On the page


@pytest.fixture
def collection(db):
    collection = a_judged_collection()
    compute_report(AgreementReport("exclude"), collection=collection)
    return collection


def test_the_page_compares_the_facets_of_a_query_paper(collection):
    page = client_of("admin").get(address("agreement"))
    file = client_of("admin").get(address("agreement-figure", "facets", "csv"))
    svg = client_of("admin").get(address("agreement-figure", "facets", "svg"))

    (matrix,) = page.context["facet_pairs"]
    assert (matrix.rater, matrix.other, matrix.pairs) == ("Background", "Method", 3)
    assert "One facet against another" in text_of(page)
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["grade"] + row["grade under second"] for row in rows if int(row["documents"])] == [
        "00",
        "03",
        "22",
    ]
    assert "33 %" in svg.text
