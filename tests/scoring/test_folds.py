"""Folds of queries: made from a seed, and read from CSFCube's form."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from scoring.folds import Folds, SplitsError, made_folds, read_splits

HALVES = {"fold1_dev": ["a"], "fold1_test": ["b"], "fold2_dev": ["b"], "fold2_test": ["a"]}
THIRDS = {
    "fold1_dev": ["b", "c"], "fold1_test": ["a"],
    "fold2_dev": ["a", "c"], "fold2_test": ["b"],
    "fold3_dev": ["a", "b"], "fold3_test": ["c"],
}  # fmt: skip


def read(value: object) -> Folds:
    return read_splits(json.dumps(value).encode(), name="s.json")


def test_made_folds_halve_each_facet_and_differ_by_at_most_one_query():
    facets = {
        f"{facet}{n}": facet for facet, size in (("x", 5), ("y", 7), ("z", 4)) for n in range(size)
    }
    folds = made_folds(facets, "seed").numbers

    assert folds.keys() == facets.keys()
    assert sorted(Counter(folds.values()).values()) == [8, 8]
    for facet in "xyz":
        sizes = Counter(folds[query] for query in facets if facets[query] == facet)
        assert abs(sizes[1] - sizes[2]) <= 1
    assert folds == made_folds(dict(reversed(facets.items())), "seed").numbers
    assert folds != made_folds(facets, "another seed").numbers


@pytest.mark.parametrize(
    ("number", "sizes"),
    [(0, {}), (1, {0: 5, 1: 5}), (3, {1: 4, 2: 3, 3: 3}), (10, dict.fromkeys(range(1, 11), 1))],
)
def test_any_number_of_folds_can_be_made(number, sizes):
    folds = made_folds(dict.fromkeys("abcdefghij", ""), "seed", number)

    assert Counter(folds.numbers.values()) == sizes
    assert folds.count == number


def test_folds_say_where_they_are_from():
    assert read({"method": HALVES}).origin == "imported from s.json"
    assert made_folds({"a": ""}, "seed").origin == "made from the seed"
    assert made_folds({"a": ""}, "seed", 0).origin == ""


def test_the_fold_of_a_query_is_the_one_that_tests_it():
    assert read({"method": HALVES}).numbers == {"b": 1, "a": 2}
    assert read({"method": THIRDS}).numbers == {"a": 1, "b": 2, "c": 3}


def test_the_development_set_of_a_fold_has_all_that_it_does_not_test():
    folds = read({"method": THIRDS})

    assert folds.development_of(1) == {"b", "c"}
    assert folds.tested_by(1) == {"a"}


def test_a_single_fold_leaves_queries_that_are_never_tested():
    folds = read({"method": {"fold1_dev": ["a", "c"], "fold1_test": ["b"]}})

    assert folds.numbers == {"a": 0, "b": 1, "c": 0}
    assert folds.count == 1


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "must be an object"),
        ({"method": []}, "must have the lists fold1_dev, fold1_test"),
        ({"method": {**HALVES, "fold2_dev": "b"}}, "must have the lists"),
        ({"method": {**HALVES, "fold21_test": []}}, "has 21 folds. Use at most 20"),
        ({"method": HALVES | {"fold1_test": ["a"]}}, "tests the query 'a' in two folds"),
        ({"method": HALVES | {"fold1_dev": ["c"]}}, "development set of fold 1 .* query 'a'"),
        ({"method": THIRDS | {"fold3_dev": ["a"]}}, "development set of fold 3 .* query 'b'"),
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
            "different folds",
        ),
    ],
)
def test_splits_that_contradict_themselves_are_refused(value, problem):
    with pytest.raises(SplitsError, match=problem):
        read(value)


def test_a_file_that_is_no_json_is_refused():
    with pytest.raises(SplitsError, match=r"s\.json: not valid JSON"):
        read_splits(b"{", name="s.json")
