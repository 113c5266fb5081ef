"""Queries below a threshold: the lower bound of a coefficient over a query's pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from adjudication.standing import LabelledPair, Standing
from agreement.coefficients import alpha_ordinal, cross_table
from agreement.low_agreement import (
    AgreementRule,
    WorstPairs,
    flagged_queries,
    lower_bound,
)
from agreement.services import AgreementReport, UnknownCoefficient, change_rule
from jobs.models import Job
from reports.services import compute_report
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

FIRST = [0, 0, 0, 0, 1, 1, 2, 3, 0, 1, 2, 0, 0, 1, 0, 2, 3, 1, 0, 0]
SECOND = [0, 0, 1, 0, 1, 2, 2, 2, 0, 0, 1, 0, 0, 1, 1, 3, 3, 0, 0, 0]


def test_the_lower_bound_is_that_of_scipy_within_sampling_error():
    expected = bootstrap(
        (FIRST, SECOND),
        lambda first, second: alpha_ordinal(list(first), list(second)).value,
        paired=True,
        vectorized=False,
        n_resamples=4_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).bootstrap_distribution

    low = lower_bound(cross_table(FIRST, SECOND), "alpha", "seed", "q")

    # Of 1,000 values, the 2.5 % point is known to ± 1.5 %: three standard errors.
    lowest, highest = np.percentile(expected, [1, 4])
    assert lowest <= low <= highest


def test_a_bound_depends_on_the_seed_and_the_query_only():
    table = cross_table(FIRST, SECOND)
    bounds = [lower_bound(table, "alpha", seed, query) for seed in "ab" for query in "pq"]

    assert len(set(bounds)) == 4
    assert bounds[0] == lower_bound(cross_table(FIRST[::-1], SECOND[::-1]), "alpha", "a", "p")


def pair(docno, first, second, query="q"):
    return LabelledPair(query, "f", docno, Standing.DUE, first, second, None)


def test_the_worst_pairs_differ_most_and_come_in_the_order_of_docnos():
    worst = WorstPairs()
    pairs = [
        *(pair("a", 0, 1), pair("b", 3, 3), pair("c", 3, 0), pair("d", None, 3)),
        *(pair("e", 0, 2), pair("f", 0, 3), pair("g", 2, 1), pair("h", 1, 2), pair("i", 1, 0)),
        pair("a", 0, 1, query="other"),
    ]

    assert list(worst.reading(pairs)) == pairs
    assert [docno for docno, *_ in worst.of_query["q"]] == ["c", "f", "e", "a", "g"]
    assert worst.of_query["other"] == [("a", 0, 1)]


def test_queries_below_the_threshold_are_flagged_the_lowest_first():
    tables = {
        "poor": cross_table(FIRST, SECOND[::-1]),
        "fair": cross_table(FIRST, SECOND),
        "constant": cross_table([0, 0], [0, 0]),
        "perfect": cross_table(FIRST, FIRST),
    }

    def flagged(coefficient, threshold):
        rule = AgreementRule(coefficient, threshold)
        return [row["query"] for row in flagged_queries(tables, WorstPairs(), rule, "seed")]

    assert flagged("alpha", 0.99) == ["poor", "fair"]
    assert flagged("alpha", 0.0) == ["poor"]
    assert flagged("alpha", -1.0) == []
    assert flagged("percent", 100.0) == ["poor", "fair"]
    assert flagged("", 0.99) == []


# On the page


@once_a_file
def collection():
    return a_judged_collection()


def post_rule(**fields):
    return client_of("admin").post(address("change-agreement-rule"), fields, follow=True)


def test_a_saved_rule_flags_queries_with_their_worst_pairs(collection):
    compute_report(AgreementReport("exclude"), collection=collection)
    page = post_rule(coefficient="percent", threshold="70")

    assert "The rule is saved" in text_of(page)
    assert "The rule on low agreement was changed since" in text_of(page)
    assert [job.parameters for job in Job.objects.all()] == [{"missing": "exclude"}]
    compute_report(AgreementReport("exclude"), collection=collection)

    page = client_of("admin").get(address("agreement"))

    lines = {line.query: line for line in page.context["flagged"].rows}
    assert lines["q1_background"].pairs == [["d3", 1, 3]]
    assert "The report is up to date." in text_of(page)
    again = f"{address('referrals')}?query=q1_background&amp;docno=d3&amp;recipient=judges"
    assert again in page.text


def test_without_a_rule_no_query_is_flagged(collection):
    report = compute_report(AgreementReport("exclude"), collection=collection)

    assert report.summary["flagged"] == []
    assert report.summary["rule"] == {"coefficient": "", "threshold": 0.0}


def test_another_rule_makes_another_report_of_the_same_judgments(collection):
    before = compute_report(AgreementReport("exclude"), collection=collection)
    change_rule(collection=collection, rule=AgreementRule("alpha", 0.9))
    with_rule = compute_report(AgreementReport("exclude"), collection=collection)
    change_rule(collection=collection, rule=AgreementRule("", 0.0))

    assert with_rule != before
    assert with_rule.payload == before.payload
    assert compute_report(AgreementReport("exclude"), collection=collection) == before


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"coefficient": "guess", "threshold": "0.2"}, "guess"),
        ({"coefficient": "alpha", "threshold": "low"}, "must be a number"),
        ({"coefficient": "alpha"}, "Enter the least lower bound"),
    ],
)
def test_an_invalid_rule_is_refused_in_words(collection, fields, words):
    page = post_rule(**fields)

    assert words in text_of(page)
    collection.refresh_from_db()
    assert collection.agreement_rule == ""


def test_a_service_refuses_an_unknown_coefficient(collection):
    with pytest.raises(UnknownCoefficient, match="guess"):
        change_rule(collection=collection, rule=AgreementRule("guess", 0.1))
