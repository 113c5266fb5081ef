"""The significance of the page Compare, its files, and the command `compute_significance`."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from corpus.services import create_query
from evaluation.significance.stored_values import (
    ALL,
    ScoreState,
    StoredChoices,
    checked_choices,
    usual_baseline,
    values_of,
)
from evaluation.significance.tables import MOST_SYSTEMS
from scoring.results import per_query
from scoring.statistics.comparison import compare
from tests.support.factories import DocumentFactory
from tests.support.score_scenes import store_scores
from tests.support.visits import address, csv_rows, text_of

pytestmark = pytest.mark.django_db

BM25 = [0.31, 0.42, 0.29, 0.50, 0.10, 0.15, 0.22, 0.24]
ENCODER = [0.51, 0.55, 0.42, 0.49, 0.35, 0.30, 0.41, 0.50]


@pytest.fixture
def queries(collection) -> list[str]:
    """Four query papers, each under two facets."""
    papers = DocumentFactory.create_batch(4, collection=collection)
    return [
        create_query(collection=collection, docno=paper.docno, facet_key=facet).name
        for facet in ("background", "method")
        for paper in papers
    ]


@pytest.fixture
def scored(collection, queries):
    store_scores(
        collection,
        {
            "bm25": dict(zip(queries, BM25, strict=True)),
            "encoder": dict(zip(queries, ENCODER, strict=True)),
        },
    )
    return collection


def test_the_page_compares_every_system_with_the_chosen_baseline(admin, scored):
    page = admin.get(address("compare-systems"))

    row = page.context["rows"][0]
    assert (row.system, row.mean.text, row.cells[0].text) == ("encoder", "44.12", "+16.25")
    assert [cell.text for cell in row.cells[1:2]] == ["7/0/1"]
    assert row.verdict == "higher"
    assert page.context["comparison"].baseline == "bm25"
    assert page.context["comparison"].queries == 8
    assert page.context["matrix"].significant == 1
    assert page.context["finding"] == (
        "nDCG@10 over 8 queries: of 1 other system, 1 is significantly higher than bm25 and 0 "
        "lower at 5 %. encoder differs most, by +16.25 percentage points."
    )
    assert "finds a true difference in nDCG@10 of" in text_of(page)
    # The scores were stored here, and with no state.
    outdated = "The scores of 2 systems are out of date. Changed since then: how Qrelsmith computes"
    assert outdated in text_of(page)
    of_method = admin.get(address("compare-systems"), {"facet": "method", "first": "encoder"})
    assert of_method.context["comparison"].queries == 4
    assert of_method.context["rows"][1].cells[0].text.startswith("−")
    unknown = admin.get(address("compare-systems"), {"facet": "x", "first": "x", "measure": "x"})
    assert unknown.context["comparison"].baseline == "bm25"


def test_the_number_of_queries_of_the_page_does_not_depend_on_that_of_systems(
    admin, scored, queries, django_assert_num_queries
):
    admin.get(address("compare-systems"))
    more = {f"system-{number}": dict.fromkeys(queries, 0.5) for number in range(MOST_SYSTEMS)}
    with django_assert_num_queries(QUERIES):
        admin.get(address("compare-systems"))
    store_scores(scored, more)
    admin.get(address("compare-systems"))  # the values are kept for the next page
    with django_assert_num_queries(QUERIES):
        page = admin.get(address("compare-systems"))
    assert "matrix" not in page.context
    assert f"at most {MOST_SYSTEMS} systems" in text_of(page)
    assert len(page.context["figure"].figure.panels) == 2


QUERIES = 18


def test_the_files_and_the_command_have_the_numbers_at_full_precision(admin, scored, queries):
    expected = compare(per_query(scored, "AP(rel=2)"), "bm25").rows[0]
    parameters = {"measure": "AP(rel=2)", "baseline": "bm25"}
    (encoder, bm25) = csv_rows(admin.get(address("significance-csv"), parameters))
    assert float(encoder["t_p"]) == expected.versus.t.value
    assert float(encoder["randomization_p"]) == expected.versus.flips
    assert bm25["difference"] == ""
    (pair,) = csv_rows(admin.get(address("all-pairs-csv"), parameters))
    assert (pair["first"], pair["second"]) == ("encoder", "bm25")
    printed = json.loads(run("small", baseline="bm25", measure="AP(rel=2)", format="json"))
    assert printed["systems"][0]["t_p"] == expected.versus.t.value
    assert printed["all_pairs"][0]["tukey_p"] == float(pair["tukey_p"])
    without_threshold = json.loads(run("small", baseline="bm25", measure="AP", format="json"))
    assert without_threshold == printed
    table = run("small", baseline="bm25", measure="AP(rel=2)", all_pairs=True)
    assert "+16.25" in table
    assert "All pairs, by Tukey's HSD" in table
    assert run("small", baseline="bm25", measure="AP(rel=2)", format="csv").startswith(
        "system,mean,"
    )


@pytest.mark.parametrize(
    ("systems", "baseline"),
    [
        (["encoder", "my-BM25", "bm25"], "my-BM25"),
        (["encoder", "tfidf"], "encoder"),
        ([], ""),
    ],
)
def test_the_usual_baseline_is_the_first_bm25_or_the_first_system(systems, baseline):
    assert usual_baseline(systems) == baseline


def test_the_usual_measure_is_ndcg_at_10_or_the_first_one():
    assert StoredChoices(["AP", "nDCG@10"], {}, "final").usual_measure == "nDCG@10"
    assert StoredChoices(["AP", "P@20"], {}, "final").usual_measure == "AP"
    assert StoredChoices([], {}, "final").usual_measure == ""


def test_the_values_of_a_facet_are_those_of_its_queries(scored, queries):
    every = values_of(scored, "nDCG@10")
    assert sorted(every.index) == sorted(queries)
    assert sorted(values_of(scored, "nDCG@10", ALL).index) == sorted(queries)
    method = values_of(scored, "nDCG@10", "method")
    assert sorted(method.index) == sorted(name for name in queries if name.endswith("_method"))
    assert method.equals(every.loc[method.index])
    assert values_of(scored, "nDCG@10", "result").empty
    choices = StoredChoices.of(scored)
    assert choices.facets == dict(scored.facets.values_list("key", "name"))
    assert "nDCG@10" in choices.measures
    assert ScoreState.of(scored)[:2] == (["bm25", "encoder"], [])
    for measure, facet in (("nDCG@10", ALL), ("nDCG@10", "method")):
        checked_choices(scored, measure, facet)


def run(*arguments: str, **options: object) -> str:
    text = io.StringIO()
    call_command("compute_significance", *arguments, **options, stdout=text, stderr=io.StringIO())
    return text.getvalue()


def test_without_scores_the_command_says_what_to_do(collection):
    with pytest.raises(CommandError, match=r"manage\.py score_systems small"):
        run("small", baseline="bm25", measure="AP(rel=2)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"baseline": "x", "measure": "AP(rel=2)"},
            'Unknown baseline "x". Use one of: bm25, encoder.',
        ),
        (
            {"baseline": "bm25", "measure": "x"},
            'Unknown measure "x". Use one of: AP(rel=2), nDCG@10',
        ),
        (
            {"baseline": "bm25", "measure": "AP(rel=2)", "facet": "x"},
            'Unknown facet "x". Use one of: all',
        ),
    ],
)
def test_an_unknown_choice_is_refused_with_the_known_ones(scored, options, message):
    with pytest.raises(CommandError) as refusal:
        run("small", **options)
    assert str(refusal.value).startswith(message)
