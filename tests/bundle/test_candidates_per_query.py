"""The candidates of a query in the counts of a release."""

from __future__ import annotations

from bundle.counts import FacetCounts


def test_the_candidates_of_a_query_have_a_least_a_mean_and_a_most():
    counts = FacetCounts(3, 2_000, {}, 2_100, candidates=[96, 1_004, 1_000])

    assert counts.candidates_per_query == ["96", "700.0", "1,004"]


def test_a_facet_without_a_pair_has_dashes():
    assert FacetCounts(0, 0, {}, 0).candidates_per_query == ["–", "–", "–"]


def test_the_manifest_does_not_have_them():
    assert "candidates" not in FacetCounts(1, 1, {}, 1, candidates=[4]).as_json()
