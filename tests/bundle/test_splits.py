"""The folds of a release in CSFCube's form."""

from __future__ import annotations

import json

from bundle.layouts.splits import splits_payload
from bundle.records import ReleasedFolds, ReleasedQuery
from scoring.folds import read_splits


def queries(*names: str) -> list[ReleasedQuery]:
    return [ReleasedQuery(name, name.partition("_")[2], name[0], 1) for name in names]


def folds(**numbers: int) -> ReleasedFolds:
    return ReleasedFolds(numbers, imported_from="", seed="seed")


def test_the_development_set_of_a_fold_is_what_the_other_fold_tests():
    payload = splits_payload(folds(c_m=1, a_m=1, b_m=2), queries("c_m", "b_m", "a_m"))

    assert payload["m"] == {
        "fold1_dev": ["b_m"],
        "fold1_test": ["a_m", "c_m"],
        "fold2_dev": ["a_m", "c_m"],
        "fold2_test": ["b_m"],
    }
    assert list(payload) == ["all", "m"]
    assert payload["all"] == payload["m"]


def test_the_folds_can_be_imported_again():
    given = folds(a_m=1, b_m=2, a_x=2, c_x=1)
    payload = splits_payload(given, queries("a_m", "b_m", "a_x", "c_x", "d_x"))

    assert read_splits(json.dumps(payload).encode(), name="splits.json").numbers == given.numbers
    assert payload["all"]["fold1_test"] == ["a_m", "c_x"]


def test_without_facets_there_is_only_the_whole():
    assert list(splits_payload(folds(a=1, b=2), queries("a", "b"))) == ["all"]


def test_a_facet_without_folds_is_left_out():
    assert list(splits_payload(folds(a_m=1), queries("a_m", "a_x"))) == ["all", "m"]
    assert splits_payload(folds(), queries("a_m")) == {}
