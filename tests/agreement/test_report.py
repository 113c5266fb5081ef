"""The report: what is compared, what a missing judgment does, and how queries become a number."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement.coefficients import CONSTANT_RATER
from agreement.intervals import median_interval
from agreement.report import agreement_report

AGREED, CASE, DECIDED = "agreed", "case", "decided"


def pairs_of(queries: dict[str, list[tuple]]) -> pd.DataFrame:
    """Of each query "<paper>_<facet>" its pairs (first, second, final, perhaps another state than it should have)."""
    rows = []
    for query, pairs in queries.items():
        for number, (first, second, final, *state) in enumerate(pairs):
            usual = AGREED if first is not None and first == second else CASE if final is None else DECIDED
            rows.append(
                {
                    "query": query,
                    "facet": query.partition("_")[2],
                    "docno": f"d{number}",
                    "state": state[0] if state else usual,
                    "first": first,
                    "second": second,
                    "final": final,
                    "first_judge": "ann",
                    "second_judge": "bob",
                }
            )
    return pd.DataFrame(rows).astype(dict.fromkeys(("first", "second", "final"), "Int64"))


def report_on(queries, missing="exclude", **changes) -> dict:
    asked = {"facets": ["background", "method"], "grades": 4, "seed": "s", "missing": missing}
    pairs = queries if isinstance(queries, pd.DataFrame) else pairs_of(queries)
    report = agreement_report(pairs, **asked | changes)
    assert json.loads(json.dumps(report)) == report
    return report


QUERY = [(0, 0, 0), (1, 2, 2), (2, 2, 2), (3, 1, 2), (0, 1, 0)]


def test_before_compares_the_judges_and_after_each_with_the_label():
    (row,) = report_on({"q_method": QUERY})["queries"]
    assert (row["judged"], row["pairs"], row["missing"]) == (5, 5, 0)
    assert row["before"]["percent"] == 40
    assert row["after"]["percent"] == pytest.approx((60 + 60) / 2)


def test_a_missing_judgment_leaves_its_pair_out_or_counts_as_zero():
    queries = {"q_method": [*QUERY, (None, 0, 0), (1, None, 1)]}
    (left_out,), (as_zero,) = report_on(queries)["queries"], report_on(queries, "zero")["queries"]
    assert (left_out["pairs"], left_out["missing"], left_out["before"]["percent"]) == (5, 2, 40)
    assert (as_zero["pairs"], as_zero["missing"]) == (7, 2)
    assert as_zero["before"]["percent"] == pytest.approx(100 * 3 / 7)  # (0, 0) agrees, (1, 0) does not


def test_a_query_that_waits_for_the_adjudicator_has_no_number_after():
    (row,) = report_on({"q_method": [*QUERY, (0, 3, None)]})["queries"]
    assert row["before"]["percent"] == pytest.approx(100 / 3)
    assert set(row["after"].values()) == {None}
    assert row["undefined"]["after"]["alpha"].startswith("1 of 6 pairs")


def test_a_pair_set_aside_counts_before_and_not_after():
    (row,) = report_on({"q_method": [*QUERY, (0, 3, None, DECIDED)]})["queries"]
    assert (row["judged"], row["labelled"]) == (6, 5)
    assert row["after"]["percent"] == 60


def test_an_undefined_value_keeps_its_reason_and_is_left_out_of_the_median():
    report = report_on({"1_method": [(0, 0, 0), (0, 0, 0)], "2_method": QUERY, "3_method": QUERY[:3]})
    (facet,) = report["facets"]
    assert report["queries"][0]["undefined"]["before"]["spearman"] == CONSTANT_RATER
    values = [row["before"]["spearman"] for row in report["queries"]]
    assert facet["before"]["spearman"]["median"] == pytest.approx((values[1] + values[2]) / 2)
    assert (facet["queries"], facet["before"]["spearman"]["defined"]) == (3, 2)
    assert facet["before"]["percent"]["defined"] == 3


def test_overruled_is_a_mean_over_queries_and_a_pooled_share():
    """A label that is neither judgment; where one is missing, only the other one counts."""
    one = [(0, 2, 1), (1, 1, 1), (0, 3, None)]
    report = report_on({"1_method": one, "2_method": [(None, 2, 2), (None, 2, 0), (0, 1, 1)] * 2})
    (facet,) = report["facets"]
    assert facet["overruled_mean"] == pytest.approx((50 + 100 / 3) / 2)
    assert facet["overruled"] == pytest.approx(100 * 3 / 8)


def test_intervals_begin_at_ten_queries():
    queries = {f"{number}_method": [(0, 0, 0), (1, 1, 1), (2, number % 3, 2)] for number in range(10)}
    (ten,) = report_on(queries)["facets"]
    (nine,) = report_on({name: queries[name] for name in list(queries)[:9]})["facets"]
    found = ten["before"]["percent"]
    assert found["low"] <= found["median"] <= found["high"]
    assert (nine["before"]["percent"]["low"], nine["before"]["percent"]["high"]) == (None, None)


def test_an_interval_is_that_of_the_exact_bootstrap_of_the_median():
    """Of 1,001 ranks, a resample's median is at most k with the probability that 501 of 1,001 draws are."""
    ranks = np.arange(1, 1002)
    at_most = stats.binom.sf(500, 1001, ranks / 1001)
    exact = [ranks[at_most >= share][0] for share in (0.025, 0.975)]
    assert median_interval(list(ranks), "seed") == pytest.approx(exact, abs=1)


def test_an_interval_is_the_same_on_every_machine():
    values = [0.11, 0.35, 0.2, 0.47, 0.52, 0.31, 0.09, 0.64, 0.4, 0.28]
    assert median_interval(values, "seed") == pytest.approx((0.2, 0.495))
    assert median_interval(values, "another") != median_interval(values, "seed")


def test_the_order_of_pairs_changes_nothing():
    pairs = pairs_of({f"{number}_method": QUERY for number in range(11)})
    assert report_on(pairs) == report_on(pairs.sample(frac=1, random_state=1))


def test_annotators_are_compared_whatever_their_seats():
    pairs = pairs_of({"1_method": QUERY, "2_background": QUERY})
    pairs.loc[pairs["query"] == "2_background", ["first_judge", "second_judge"]] = ["bob", "ann"]
    pairs.loc[0, ["first_judge", "second_judge"]] = ["bob", "cid"]
    couples = report_on(pairs)["couples"]
    assert [(row["first"], row["second"], row["pairs"]) for row in couples] == [("ann", "bob", 9), ("bob", "cid", 1)]


def test_matrices_count_pairs_of_grades():
    (facet,) = report_on({"q_method": [(0, 1, 1), (0, 1, 0), (3, 3, 3)]})["facets"]
    assert facet["judges"] == [[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert facet["against_label"] == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]
    assert facet["labels"] == [1, 1, 0, 1]


def test_labels_of_a_document_under_two_facets_are_compared():
    """Documents of one query paper only: 2_method has no other facet."""
    queries = {"1_method": [(0, 0, 0), (1, 1, 1)], "1_background": [(2, 2, 2), (3, 3, 3)], "2_method": [(3, 3, 3)]}
    (row,) = report_on(queries)["facet_pairs"]
    assert (row["first"], row["second"]) == ("background", "method")
    assert row["counts"] == [[0] * 4, [0] * 4, [1, 0, 0, 0], [0, 1, 0, 0]]


def test_names_that_look_alike_are_not_taken_for_one_query_paper():
    """Chosen sentences of A are named as the whole of A_method-2 would be, and topics may end in _."""
    pairs = pairs_of({"A_method-2": QUERY, "A_method-2_method": QUERY, "q": QUERY, "q_": QUERY})
    pairs["facet"] = ["method"] * 2 * len(QUERY) + [""] * 2 * len(QUERY)
    assert report_on(pairs)["facet_pairs"] == []


def test_facets_come_in_the_order_of_the_collection():
    queries = {"1_method": QUERY, "1_background": QUERY, "1_other": QUERY}
    report = report_on(queries, facets=["method", "result", "background"])
    assert [row["facet"] for row in report["facets"]] == ["method", "background", "other"]


def test_without_facets_all_queries_are_together():
    report = report_on({"51": QUERY, "52": QUERY}, facets=[])
    assert [(row["facet"], row["queries"], row["judged"]) for row in report["facets"]] == [("", 2, 10)]
    assert report["facet_pairs"] == []
