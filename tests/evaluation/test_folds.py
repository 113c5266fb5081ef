"""Folds of queries: made from a seed, and read from CSFCube's form."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from evaluation.folds import SplitsError, made_folds, read_splits

HALVES = {"fold1_dev": ["a"], "fold1_test": ["b"], "fold2_dev": ["b"], "fold2_test": ["a"]}


def test_made_folds_halve_each_facet_and_differ_by_at_most_one_query():
    facets = {
        f"{facet}{n}": facet for facet, size in (("x", 5), ("y", 7), ("z", 4)) for n in range(size)
    }
    folds = made_folds(facets, "seed")

    assert folds.keys() == facets.keys()
    assert sorted(Counter(folds.values()).values()) == [8, 8]
    for facet in "xyz":
        sizes = Counter(folds[query] for query in facets if facets[query] == facet)
        assert abs(sizes[1] - sizes[2]) <= 1
    assert folds == made_folds(dict(reversed(facets.items())), "seed")
    assert folds != made_folds(facets, "another seed")


def test_the_fold_of_a_query_is_the_one_that_tests_it():
    assert read_splits(json.dumps({"method": HALVES}).encode(), name="s.json") == {"b": 1, "a": 2}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "must be an object"),
        ({"method": []}, "must have the lists"),
        ({"method": HALVES | {"fold1_test": ["a"]}}, "in both folds"),
        ({"method": HALVES | {"fold1_dev": ["c"]}}, "development set"),
        (
            {
                "x": HALVES,
                "all": {
                    **HALVES,
                    "fold1_dev": ["b"],
                    "fold1_test": ["a"],
                    "fold2_dev": ["a"],
                    "fold2_test": ["b"],
                },
            },
            "both folds",
        ),
    ],
)
def test_splits_that_contradict_themselves_are_refused(value, problem):
    with pytest.raises(SplitsError, match=problem):
        read_splits(json.dumps(value).encode(), name="s.json")


def test_a_file_that_is_no_json_is_refused():
    with pytest.raises(SplitsError, match=r"s\.json: not valid JSON"):
        read_splits(b"{", name="s.json")
