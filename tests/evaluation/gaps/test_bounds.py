"""The bounds of scores, against every labelling scored by ir-measures."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.gaps.computation.bounds import (
    ADDITIVE,
    BoundedMeasure,
    ScoreRange,
    UnboundedMeasure,
    difference_ranges,
    score_range,
)
from tests.support.labellings import Case, random_case, values_of

MEASURES = [
    "P@5",
    "P(rel=2)@10",
    "R@5",
    "R(rel=2)@100",
    "AP",
    "AP@5",
    "AP(rel=2)",
    "nDCG",
    "nDCG@3",
    "nDCG@10",
    "nDCG(dcg='exp-log2')@5",
    "RBP(p=0.8,rel=1)",
    "RBP(p=0.5,rel=2)@4",
    "RR",
    "RR(rel=2)@5",
    "Rprec",
    "Rprec(rel=2)",
    "Bpref",
    "Bpref(rel=2)",
    "Success@3",
    "Success(rel=2)@5",
]
ROUNDED = 2e-5  # of a difference: gdeval prints five decimals


def near(*values: float) -> Any:
    return pytest.approx(values if len(values) > 1 else values[0], abs=ROUNDED)


@pytest.mark.parametrize("relevant", [True, False], ids=["some relevant", "none relevant"])
@pytest.mark.parametrize("scored_from", [1, 2])
def test_bounds_are_the_extremes_over_all_labellings(scored_from: int, relevant: bool) -> None:
    for seed in range(20):
        case = random_case(seed, open_=seed % 5, relevant=relevant)
        labellings = list(case.labellings())
        names = [name for name in MEASURES if scored_from == 2 or "rel=2" not in name]
        values = values_of(case, names, scored_from, labellings)
        for name in names:
            measure = BoundedMeasure.of(name, scored_from)
            found = score_range(measure, case.query, case.view(0))
            expected = [value for (value,) in values[name]]
            if not expected:
                assert found is None
                continue
            assert found is not None
            assert (found.low, found.high) == near(min(expected), max(expected)), (name, seed)
            assert found.is_certain == relevant


def test_the_value_is_that_with_the_present_labels() -> None:
    for seed in range(40):
        case = random_case(seed)
        values = values_of(case, MEASURES, 2, [case.labels])
        for name in MEASURES:
            found = score_range(BoundedMeasure.of(name, 2), case.query, case.view(0))
            assert found is not None
            assert found.value == near(values[name][0][0]), (name, seed)


@pytest.mark.parametrize("relevant", [True, False], ids=["some relevant", "none relevant"])
@pytest.mark.by_day(2)
def test_differences_of_two_systems_are_bounded_with_the_same_labels(relevant: bool) -> None:
    is_loose = set()
    for seed in range(20):
        case = random_case(seed, systems=2, relevant=relevant)
        values = values_of(case, MEASURES, 2, list(case.labellings()))
        for name in MEASURES:
            measure = BoundedMeasure.of(name, 2)
            rows = difference_ranges(measure, case.query, case.view(0), case.view(1))
            found = ScoreRange.of(rows[0])
            differences = [first - second for first, second in values[name]]
            assert found is not None
            low, high = min(differences), max(differences)
            assert found.low <= low + ROUNDED, (name, seed)
            assert found.high >= high - ROUNDED, (name, seed)
            if measure.family in ADDITIVE:
                assert (found.low, found.high) == near(low, high), (name, seed)
            elif found.low < low - ROUNDED:
                is_loose.add(measure.family)
    assert is_loose  # the docstring says that these are not exact


def test_a_relevant_document_elsewhere_lowers_a_score() -> None:
    # The only relevant document is at rank 1. One that is not in the list halves recall.
    case = Case({"a": 1}, ["b"], [["a"]], 1)
    found = score_range(BoundedMeasure.of("R@5"), case.query, case.view(0))
    assert found == (0.5, 1.0, 1.0, True)


@pytest.mark.parametrize("name", ["ERR@20", "infAP", "NDCG%20", "nDCG(gains={1:3})@5", "Judged@10"])
def test_a_measure_without_known_bounds_is_refused(name: str) -> None:
    with pytest.raises(UnboundedMeasure, match="No bounds are known"):
        BoundedMeasure.of(name)
