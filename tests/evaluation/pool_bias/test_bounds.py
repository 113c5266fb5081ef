"""Upper bounds against every possible judgment of the unjudged documents, by ir-measures."""

import itertools
import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.gaps.computation.bounds import UnboundedMeasure
from evaluation.pool_bias.computation.bounds import bounded_measure, grades_in_list, upper_bound

MEASURES = (
    *("P@3", "P(rel=2)@5", "R@3", "R(rel=2)@4", "AP", "AP(rel=2)", "AP(rel=2)@3"),
    *("nDCG", "nDCG@3", "nDCG(dcg='exp-log2')@4", "RBP(rel=2)", "RBP(p=0.5,rel=1)"),
)
HIGHEST = 3


def rbp(p: float, rel: int):
    """No provider that is installed with ir-measures has RBP."""
    return lambda grades, _: sum(
        (1 - p) * p**place for place, grade in enumerate(grades) if grade >= rel
    )


def exponential_ndcg(grades: list[int], judged: list[int]) -> float:
    """At 4, with the gain 2^grade - 1."""

    def dcg(row: list[int]) -> float:
        return sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(row[:4]))

    ideal = dcg(sorted(judged, reverse=True))
    return dcg(grades) / ideal if ideal else 0.0


BY_HAND = {
    "RBP(rel=2)": rbp(0.8, 2),
    "RBP(p=0.5,rel=1)": rbp(0.5, 1),
    "nDCG(dcg='exp-log2')@4": exponential_ndcg,
}


def value_of(name: str, docnos: list[str], labels: dict[str, int]) -> float:
    if name in BY_HAND:
        return BY_HAND[name]([labels.get(docno, 0) for docno in docnos], list(labels.values()))
    measure = ir_measures.parse_measure(name)
    run = {"q": {docno: -float(rank) for rank, docno in enumerate(docnos)}}
    return ir_measures.calc_aggregate([measure], {"q": labels}, run)[measure]


def largest_value(name: str, docnos: list[str], labels: dict[str, int]) -> float:
    unjudged = [docno for docno in docnos if docno not in labels]
    return max(
        value_of(name, docnos, labels | dict(zip(unjudged, grades, strict=True)))
        for grades in itertools.product(range(HIGHEST + 1), repeat=len(unjudged))
    )


def bound_of(name: str, docnos: list[str], labels: dict[str, int]) -> float:
    judged = np.array(list(labels.values()), dtype=np.int64)
    return upper_bound(bounded_measure(name), grades_in_list(docnos, labels), judged, HIGHEST)


@st.composite
def lists_with_labels(draw):
    """Up to 6 documents, at most 3 of them unjudged, and relevant documents outside the list."""
    docnos = [f"d{number}" for number in range(draw(st.integers(1, 6)))]
    unjudged = draw(st.sets(st.sampled_from(docnos), max_size=3))
    judged = [docno for docno in docnos if docno not in unjudged]
    missed = [f"m{number}" for number in range(draw(st.integers(1, 3)))]
    return docnos, {docno: draw(st.integers(0, HIGHEST)) for docno in [*judged, *missed]}


@pytest.mark.parametrize("name", MEASURES)
@given(case=lists_with_labels())
@settings(max_examples=25)
def test_the_upper_bound_is_the_largest_value_of_any_judgments(name, case):
    docnos, labels = case
    assert bound_of(name, docnos, labels) == pytest.approx(largest_value(name, docnos, labels))


def test_the_upper_bound_of_average_precision_is_not_that_all_are_relevant():
    docnos, labels = ["d1", "d2", "d3"], {"d1": 1, "d2": 0}
    assert value_of("AP", docnos, labels | {"d3": 1}) == pytest.approx((1 + 2 / 3) / 2)
    assert bound_of("AP", docnos, labels) == 1


def test_the_upper_bound_of_ndcg_can_need_a_grade_in_the_middle():
    docnos, labels = ["d1", "d2"], {"d1": 1, "missed": 1}
    values = [value_of("nDCG", docnos, labels | {"d2": grade}) for grade in range(4)]
    assert max(values) == values[1]
    assert bound_of("nDCG", docnos, labels) == pytest.approx(values[1])


def test_the_bound_of_rbp_is_the_residual_of_moffat_and_zobel():
    docnos, labels = [f"d{number}" for number in range(1, 5)], {"d1": 1, "d3": 0}
    residual = 0.5 * (0.5**1 + 0.5**3)
    name = "RBP(p=0.5,rel=1)"
    assert bound_of(name, docnos, labels) == pytest.approx(
        value_of(name, docnos, labels) + residual
    )


def test_a_measure_without_a_bound_is_named():
    with pytest.raises(UnboundedMeasure, match=r'No bounds are known for "RR". Use P, R, AP'):
        bounded_measure("RR")
    with pytest.raises(UnboundedMeasure, match="NDCG%20"):
        bounded_measure("NDCG%20")
