"""The coefficients against published worked examples, second implementations and their algebra."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TypeVar

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, rankdata
from sklearn.metrics import cohen_kappa_score

from agreement.coefficients import (
    ALL_IDENTICAL,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
    REGISTRY,
    CrossTable,
    GradeError,
    Grades,
    Missing,
    Result,
    ac1_of,
    ac2_of,
    alpha_ordinal,
    confusion,
    cross_table,
    fill,
    kappa,
    kappa_of,
    kendall_of,
    linear_kappa_of,
    percent_agreement,
    percent_relevance_of,
    percent_within_one_of,
    quadratic_kappa_of,
    spearman,
)
from corpus.scale import Scale
from tests.support.agreement_by_pair import LIBRARIES

# A connection that an earlier test left open is none of theirs.
pytestmark = pytest.mark.filterwarnings("error", "ignore::ResourceWarning")

G = TypeVar("G", int, int | None)
Coefficient = Callable[[Grades, Grades], Result]


def of_grades(function: Callable[[CrossTable], Result]) -> Coefficient:
    return lambda first, second: function(cross_table(first, second))


FUNCTIONS = {each.key: of_grades(each.function) for each in REGISTRY}
COEFFICIENTS = [spearman, alpha_ordinal, kappa, percent_agreement, *list(FUNCTIONS.values())[4:]]
PERCENTS = [each for each, row in zip(COEFFICIENTS, REGISTRY, strict=True) if row.highest == 100]
# Defined where both raters gave every pair the same grade.
ALWAYS_DEFINED = [*PERCENTS, FUNCTIONS["ac1"], FUNCTIONS["ac2"]]
# By name, to be called with the pairs of one example: to draw an example takes longest.
NAMED = dict(zip((row.key for row in REGISTRY), COEFFICIENTS, strict=True))

grades = st.integers(0, 3)
rated = st.lists(st.tuples(grades, grades), min_size=1, max_size=60)
rated_or_missing = st.lists(st.tuples(st.none() | grades, st.none() | grades), max_size=60)


def value(coefficient: Result) -> float:
    assert coefficient.undefined is None
    assert coefficient.value is not None
    return coefficient.value


def columns(pairs: Sequence[tuple[G, G]]) -> tuple[list[G], list[G]]:
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def expand(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Two grade vectors whose confusion matrix is `table`."""
    cells = [(r, c) for r, row in enumerate(table) for c, n in enumerate(row) for _ in range(n)]
    return [r for r, _ in cells], [c for _, c in cells]


# Second implementations


def alpha_from_coincidences(raters: Sequence[Grades]) -> float:
    """Krippendorff (2011), for any number of raters: counts, o_ck, n_c, the ordinal difference."""
    units = [[g for g in unit if g is not None] for unit in zip(*raters, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    scale = sorted({g for unit in units for g in unit})
    o = dict.fromkeys([(c, k) for c in scale for k in scale], 0.0)
    for unit in units:
        for c, k in permutations(unit, 2):
            o[c, k] += 1 / (len(unit) - 1)
    n_of = {c: sum(o[c, k] for k in scale) for c in scale}
    n = sum(n_of.values())

    def squared_difference(c: int, k: int) -> float:
        between = [n_of[g] for g in scale if min(c, k) <= g <= max(c, k)]
        return float(sum(between) - (n_of[c] + n_of[k]) / 2) ** 2

    observed = sum(o[c, k] * squared_difference(c, k) for c, k in o)
    expected = sum(n_of[c] * n_of[k] * squared_difference(c, k) for c, k in o)
    return 1 - (n - 1) * observed / expected


# Published worked examples


def test_alpha_matches_krippendorffs_two_observers_with_binary_data() -> None:
    # Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section A: .095. With two
    # grades the ordinal difference is a constant factor, so ordinal and nominal alpha are one.
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]

    assert value(alpha_ordinal(meg, owen)) == pytest.approx(0.095, abs=5e-4)


def test_the_second_alpha_matches_krippendorffs_four_observers_with_ordinal_data() -> None:
    # Krippendorff (2011), section D, ordinal metric: .815. Our own alpha takes two raters, so the
    # published figure vouches for the second implementation, and that one for ours (below).
    observers: list[Grades] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]

    assert alpha_from_coincidences(observers) == pytest.approx(0.815, abs=5e-4)


def test_kappa_matches_cohens_diagnoses() -> None:
    # Cohen (1968), Weighted Kappa, table 1: 200 cases, three diagnoses, unweighted kappa .492.
    first, second = expand([[88, 10, 2], [14, 40, 6], [18, 10, 12]])

    assert value(kappa(first, second)) == pytest.approx(0.492, abs=5e-4)
    assert value(percent_agreement(first, second)) == 70


def test_spearman_matches_the_frigatebirds_of_mcdonald() -> None:
    # McDonald, Handbook of Biological Statistics, "Spearman rank correlation": pouch volume and
    # pitch of 18 birds, two volumes tied; rho -.7630357 as R prints it in Mangiafico's Companion.
    volume = [1760, 2040, 2440, 2550, 2730, 2740, 3010, 3080, 3370]
    volume += [3740, 4910, 5090, 5090, 5380, 5850, 6730, 6990, 7960]
    pitch = [529, 566, 473, 461, 465, 532, 484, 527, 488]
    pitch += [485, 478, 434, 468, 449, 425, 389, 421, 416]

    assert value(spearman(volume, pitch)) == pytest.approx(-0.7630357, abs=5e-8)


def test_ac1_and_ac2_match_gwets_two_abstractors() -> None:
    """Two abstractors class 100 pregnancies into three types.

    Gwet's R package irrCAC, vignette "overview" (2019): AC1 .8493305, and Cohen's kappa .7964094.
    The package irrCAC for Python, docstring of `irrCAC.table`: AC2 with quadratic weights .94024,
    with p_a = .9725 and p_e = .53985.
    """
    table = cross_table(*expand([[13, 0, 0], [0, 20, 7], [0, 4, 56]]), Scale(2, 1))

    assert value(ac1_of(table)) == pytest.approx(0.8493305, abs=5e-8)
    assert value(ac2_of(table)) == pytest.approx(0.94024, abs=5e-6)
    assert value(kappa_of(table)) == pytest.approx(0.7964094, abs=5e-8)


def test_weighted_kappas_match_those_of_the_two_abstractors() -> None:
    """The same abstractors, in the tests of irrCAC for Python (`test_cohen.py`): .843 and .892."""
    table = cross_table(*expand([[13, 0, 0], [0, 20, 7], [0, 4, 56]]), Scale(2, 1))

    assert value(linear_kappa_of(table)) == pytest.approx(0.843, abs=5e-4)
    assert value(quadratic_kappa_of(table)) == pytest.approx(0.892, abs=5e-4)


# Against second implementations


@given(rated_or_missing)
def test_alpha_is_that_of_the_coincidence_matrix(
    pairs: list[tuple[int | None, int | None]],
) -> None:
    first, second = columns(pairs)
    alpha = alpha_ordinal(first, second)
    assume(alpha.value is not None)

    assert value(alpha) == pytest.approx(alpha_from_coincidences([first, second]), abs=1e-9)


@given(rated)
def test_a_grade_without_pairs_does_not_change_alpha(pairs: list[tuple[int, int]]) -> None:
    first, second = columns(pairs)
    alpha = alpha_ordinal(first, second)
    assume(alpha.value is not None)
    whole_scale = krippendorff.alpha(
        reliability_data=[first, second],
        value_domain=[0, 1, 2, 3],
        level_of_measurement="ordinal",
    )

    assert value(alpha) == pytest.approx(whole_scale, abs=1e-12)


@given(rated)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = columns(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = cohen_kappa_score(first, second)
    actual = kappa(first, second)

    if actual.value is None:
        assert math.isnan(expected)
    else:
        assert actual.value == pytest.approx(expected, abs=1e-12)


@given(rated)
def test_spearman_is_pearson_of_mid_ranks(pairs: list[tuple[int, int]]) -> None:
    first, second = columns(pairs)
    rho = spearman(first, second)
    assume(rho.value is not None)
    # The variance of float ranks is never exactly 0 here, but Pearson's p-value may warn at n = 2.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = pearsonr(rankdata(first), rankdata(second)).statistic

    assert value(rho) == pytest.approx(expected, abs=1e-9)


@given(rated)
def test_kendall_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = columns(pairs)
    tau = kendall_of(cross_table(first, second))
    assume(tau.value is not None)

    assert value(tau) == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)


@pytest.mark.parametrize(
    ("function", "weights"), [(linear_kappa_of, "linear"), (quadratic_kappa_of, "quadratic")]
)
@given(pairs=rated)
def test_weighted_kappas_are_those_of_scikit_learn(
    function: Callable[[CrossTable], Result], weights: str, pairs: list[tuple[int, int]]
) -> None:
    first, second = columns(pairs)
    actual = function(cross_table(first, second))
    assume(actual.value is not None)
    expected = cohen_kappa_score(first, second, labels=range(4), weights=weights)

    assert value(actual) == pytest.approx(expected, abs=1e-12)


@given(pairs=st.lists(st.tuples(st.none() | grades, st.none() | grades), max_size=300))
def test_each_float_is_that_of_the_library_to_the_last_digit(
    pairs: list[tuple[int | None, int | None]],
) -> None:
    both = zip(NAMED.items(), LIBRARIES.values(), strict=True)
    answers = {
        name: (coefficient(*columns(pairs)), library(*columns(pairs)))
        for (name, coefficient), library in both
    }

    assert {name: both for name, both in answers.items() if both[0] != both[1]} == {}


# Algebra


@given(pairs=rated_or_missing)
def test_every_answer_is_a_number_in_range_or_a_reason(
    pairs: list[tuple[int | None, int | None]],
) -> None:
    for name, coefficient in NAMED.items():
        answer = coefficient(*columns(pairs))

        if answer.value is None:
            assert answer.undefined, name
        else:
            top = 100 if coefficient in PERCENTS else 1
            below = coefficient in (alpha_ordinal, FUNCTIONS["ac2"])
            assert answer.value <= top + 1e-12, name
            assert answer.value >= -1 - 1e-12 or below, name


@given(pairs=rated_or_missing)
def test_the_raters_may_change_places(pairs: list[tuple[int | None, int | None]]) -> None:
    first, second = columns(pairs)
    for name, coefficient in NAMED.items():
        one, other = coefficient(first, second), coefficient(second, first)

        assert one.undefined == other.undefined, name
        assert one.value == pytest.approx(other.value, abs=1e-12), name


@given(data=st.data(), pairs=rated_or_missing)
def test_the_order_of_the_pairs_does_not_matter(
    data: st.DataObject, pairs: list[tuple[int | None, int | None]]
) -> None:
    shuffled = data.draw(st.permutations(pairs))
    for name, coefficient in NAMED.items():
        one, other = coefficient(*columns(pairs)), coefficient(*columns(shuffled))

        assert one.undefined == other.undefined, name
        assert one.value == pytest.approx(other.value, abs=1e-12), name


@given(ratings=st.lists(grades, min_size=1, max_size=60))
def test_perfect_agreement_is_the_top_of_the_scale_unless_undefined(ratings: list[int]) -> None:
    constant = len(set(ratings)) == 1
    for name, coefficient in NAMED.items():
        answer = coefficient(ratings, ratings)

        if constant and coefficient not in ALWAYS_DEFINED:
            assert answer.value is None, name
        else:
            assert value(answer) == (100 if coefficient in PERCENTS else 1), name


@given(ratings=st.lists(grades, min_size=2, max_size=60))
def test_spearman_of_turned_grades_is_exactly_minus_1(ratings: list[int]) -> None:
    assume(len(set(ratings)) > 1)
    assert spearman(ratings, [3 - grade for grade in ratings]).value == -1


@given(pairs=rated_or_missing)
def test_a_pair_with_a_missing_grade_is_as_good_as_absent(
    pairs: list[tuple[int | None, int | None]],
) -> None:
    complete = [pair for pair in pairs if None not in pair]
    answers = {
        name: (coefficient(*columns(pairs)), coefficient(*columns(complete)))
        for name, coefficient in NAMED.items()
    }

    assert {name: both for name, both in answers.items() if both[0] != both[1]} == {}


@pytest.mark.parametrize("coefficient", [alpha_ordinal, spearman])
@given(pairs=rated)
def test_ordinal_coefficients_look_at_the_order_of_grades_only(
    coefficient: Coefficient, pairs: list[tuple[int, int]]
) -> None:
    stretched = {0: 0, 1: 1, 2: 7, 3: 40}
    first, second = columns(pairs)
    one = coefficient(first, second)
    other = coefficient([stretched[g] for g, _ in pairs], [stretched[g] for _, g in pairs])

    assert one.undefined == other.undefined
    assert one.value == pytest.approx(other.value, abs=1e-9)


# Undefined

# Grades of both raters, and what each coefficient is: a number, or the reason why there is none.
# In the order of the registry: rho, alpha, kappa, %, tau, linear and quadratic kappa, AC1, AC2,
# % within one grade, % on relevance. AC1 and AC2 are made of the four grades of the scale.
UNDEFINED: list[tuple[Grades, Grades, list[float | str]]] = [
    ([], [], [NO_PAIRS] * 11),
    ([1, None], [None, 2], [NO_PAIRS] * 11),
    (  # one pair, two grades
        [2],
        [1],
        [ONE_PAIR, 0, 0, 0, ONE_PAIR, 0, 0, -1 / 5, 11 / 14, 100, 0],
    ),
    (  # one pair, one grade
        [3],
        [3],
        [
            *(ONE_PAIR, ALL_IDENTICAL, ALL_IDENTICAL, 100),
            *(ONE_PAIR, ALL_IDENTICAL, ALL_IDENTICAL, 1, 1, 100, 100),
        ],
    ),
    (  # one constant rater
        [2, 2, 2],
        [1, 2, 3],
        [CONSTANT_RATER, 1 / 6, 0, 100 / 3, CONSTANT_RATER, 0, 0, 1 / 5, 6 / 7, 100, 200 / 3],
    ),
    (  # two constant raters who disagree
        [0, 0, 0],
        [3, 3, 3],
        [CONSTANT_RATER, -2 / 3, 0, 0, CONSTANT_RATER, 0, 0, -1 / 5, -13 / 14, 0, 0],
    ),
    (  # two constant raters who agree
        [0, 0],
        [0, 0],
        [
            *(CONSTANT_RATER, ALL_IDENTICAL, ALL_IDENTICAL, 100),
            *(CONSTANT_RATER, ALL_IDENTICAL, ALL_IDENTICAL, 1, 1, 100, 100),
        ],
    ),
]


@pytest.mark.parametrize(("first", "second", "expected"), UNDEFINED)
def test_every_coefficient_is_undefined_where_it_has_no_meaning(
    first: Grades, second: Grades, expected: list[float | str]
) -> None:
    results = [function(first, second) for function in COEFFICIENTS]
    turned = [function(second, first) for function in COEFFICIENTS]

    assert [result.undefined or result.value for result in results] == [
        each if isinstance(each, str) else pytest.approx(each) for each in expected
    ]
    assert [result.undefined for result in turned] == [result.undefined for result in results]


def test_ac1_and_ac2_count_every_grade_of_the_scale() -> None:
    first, second = [0, 0, 1, 1], [0, 1, 1, 1]

    assert value(ac1_of(cross_table(first, second, Scale(1, 1)))) == pytest.approx(9 / 17)
    assert value(ac1_of(cross_table(first, second, Scale(3, 2)))) == pytest.approx(19 / 27)


@pytest.mark.parametrize("function", [ac1_of, ac2_of])
def test_a_grade_above_the_scale_is_refused(function: Callable[[CrossTable], Result]) -> None:
    with pytest.raises(GradeError, match="got 2"):
        function(cross_table([0, 2], [0, 1], Scale(1, 1)))


def test_relevance_begins_at_the_threshold_of_the_scale() -> None:
    first, second = [0, 1, 2, 3], [1, 2, 1, 3]

    assert value(percent_relevance_of(cross_table(first, second))) == 50
    assert value(percent_relevance_of(cross_table(first, second, Scale(3, 1)))) == 75
    assert value(percent_relevance_of(cross_table(first, second, Scale(3, 3)))) == 100


def test_grades_that_differ_by_two_are_not_within_one() -> None:
    assert value(percent_within_one_of(cross_table([0, 1, 2, 3], [0, 2, 0, 2]))) == 75


def test_a_constant_rater_leaves_alpha_kappa_and_percent_defined() -> None:
    first, second = [0, 0, 0, 0], [0, 1, 0, 0]

    assert value(alpha_ordinal(first, second)) == 0  # o_01 = e_01: exactly what chance gives
    assert value(kappa(first, second)) == 0
    assert value(percent_agreement(first, second)) == 75


def test_two_constant_raters_who_disagree_have_zero_kappa_and_negative_alpha() -> None:
    first, second = [0, 0, 0], [3, 3, 3]

    assert value(kappa(first, second)) == 0
    assert value(alpha_ordinal(first, second)) == pytest.approx(-2 / 3)
    assert value(percent_agreement(first, second)) == 0


def test_two_pairs_are_enough_for_spearman_and_do_not_warn() -> None:
    assert value(spearman([0, 1], [1, 0])) == pytest.approx(-1)


# What is refused


@pytest.mark.parametrize("coefficient", [*COEFFICIENTS, confusion])
def test_vectors_of_different_length_are_refused(
    coefficient: Callable[[Grades, Grades], object],
) -> None:
    with pytest.raises(ValueError, match="shorter"):
        coefficient([0, 1, 2], [0, 1])


@pytest.mark.parametrize("coefficient", [*COEFFICIENTS, confusion])
@pytest.mark.parametrize("bad", [-1, 1.5, math.nan, "2"])
def test_what_is_not_a_grade_is_refused_and_named(
    coefficient: Callable[[Grades, Grades], object], bad: object
) -> None:
    with pytest.raises(GradeError) as error:
        coefficient([0, bad], [0, None])  # type: ignore[list-item]

    assert error.value.grade is bad


def test_numpy_integers_are_grades() -> None:
    first, second = np.array([0, 1, 2, 3]), np.array([0, 1, 3, 3])

    assert kappa(list(first), list(second)) == kappa([0, 1, 2, 3], [0, 1, 3, 3])


@pytest.mark.parametrize(
    ("number", "reason"), [(None, None), (1.0, "x"), (math.nan, None), (math.inf, None)]
)
def test_a_coefficient_is_a_finite_number_or_a_reason(
    number: float | None, reason: str | None
) -> None:
    with pytest.raises(ValueError, match="result"):
        Result(number, reason)


# Missing grades and the confusion matrix


def test_fill_counts_missing_grades_as_zero_only_when_asked() -> None:
    assert fill([2, None, 0], Missing.ZERO) == [2, 0, 0]
    assert fill([2, None, 0], Missing.EXCLUDE) == [2, None, 0]


def test_confusion_has_the_first_rater_in_its_rows() -> None:
    assert confusion([0, 0, 3, None], [0, 1, 2, 2]) == (
        (1, 1, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 1, 0),
    )


@given(rated)
def test_confusion_turns_over_when_the_raters_change_places(pairs: list[tuple[int, int]]) -> None:
    first, second = columns(pairs)
    matrix = confusion(first, second)

    assert matrix == tuple(zip(*confusion(second, first), strict=True))
    assert sum(map(sum, matrix)) == len(pairs)


def test_confusion_refuses_a_grade_outside_its_scale() -> None:
    with pytest.raises(GradeError, match="of the scale, got 3"):
        confusion([0, 3], [0, 1], grades=(0, 1, 2))
