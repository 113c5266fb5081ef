import random
from itertools import combinations

import krippendorff
import numpy as np
import pytest

from agreement.coefficients import ALL_IDENTICAL, COEFFICIENTS, CONSTANT_RATER, NO_PAIRS
from corpus.scale import Scale
from practice.agreement import GradedPair, round_agreement

PEOPLE = ("ann", "ben", "cem", "dora")


def graded(*rows: dict[str, int], facet: str = "method") -> list[GradedPair]:
    return [GradedPair(facet, row) for row in rows]


def random_pairs(number: int = 40, seed: int = 7) -> list[GradedPair]:
    """About a fifth of the grades are missing."""
    chance = random.Random(seed)
    return [
        GradedPair(
            ("background", "method")[place % 2],
            {
                name: min(3, max(0, round(chance.gauss(place % 4, 1))))
                for name in PEOPLE
                if chance.random() > 0.2
            },
        )
        for place in range(number)
    ]


def test_alpha_of_all_is_that_of_the_krippendorff_package():
    pairs = random_pairs()
    data = np.array([[pair.grades.get(name, np.nan) for pair in pairs] for name in PEOPLE])

    group = round_agreement(pairs, PEOPLE, Scale()).groups[0]

    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="ordinal")
    assert group.alpha.value == pytest.approx(expected, abs=1e-12)
    assert group.pairs == sum(len(pair.grades) > 1 for pair in pairs)


@pytest.mark.parametrize("seed", range(5))
def test_each_couple_has_the_coefficients_of_the_pairs_that_both_graded(seed):
    pairs = random_pairs(12, seed)

    found = round_agreement(pairs, PEOPLE, Scale()).couples

    assert [(each.first, each.second) for each in found] == list(combinations(PEOPLE, 2))
    for couple in found:
        both = [
            (pair.grades[couple.first], pair.grades[couple.second])
            for pair in pairs
            if {couple.first, couple.second} <= pair.grades.keys()
        ]
        assert couple.pairs == len(both)
        agreed = sum(a == b for a, b in both)
        assert couple.results["percent"].value == pytest.approx(100 * agreed / len(both))
        if couple.results["spearman"].value is not None:
            assert couple.results["spearman"].value == pytest.approx(_brute_force_spearman(both))


def _brute_force_spearman(both: list[tuple[int, int]]) -> float:
    """Pearson's r of mid-ranks, each counted from the other values."""
    ranks = [
        [sum(y < x for y in values) + (sum(y == x for y in values) + 1) / 2 for x in values]
        for values in zip(*both, strict=True)
    ]
    mean = (len(both) + 1) / 2
    products = [
        sum((a - mean) * (b - mean) for a, b in zip(one, other, strict=True))
        for one, other in ((ranks[0], ranks[1]), (ranks[0], ranks[0]), (ranks[1], ranks[1]))
    ]
    return products[0] / (products[1] * products[2]) ** 0.5


def test_means_are_over_the_couples_for_whom_a_coefficient_is_defined():
    pairs = graded(
        {"ann": 0, "ben": 1, "cem": 2},
        {"ann": 1, "ben": 2, "cem": 2},
        {"ann": 2, "ben": 1, "cem": 2},
    )

    result = round_agreement(pairs, PEOPLE[:3], Scale())

    (group,) = result.groups
    spearman = [couple.results["spearman"] for couple in result.couples]
    assert [each.undefined for each in spearman] == [None, CONSTANT_RATER, CONSTANT_RATER]
    assert group.means["spearman"] == spearman[0]
    assert group.defined["spearman"] == 1
    assert group.couples == 3


def test_there_is_a_line_for_each_facet_only_if_there_are_several():
    one = round_agreement(graded({"ann": 0, "ben": 1}), PEOPLE[:2], Scale())
    two = round_agreement(random_pairs(), PEOPLE, Scale())

    assert [group.facet for group in one.groups] == [None]
    assert [group.facet for group in two.groups] == [None, "background", "method"]
    method = [pair for pair in random_pairs() if pair.facet == "method"]
    alone = round_agreement(method, PEOPLE, Scale()).groups[0]
    assert two.groups[2].alpha == alone.alpha
    assert two.groups[2].means == alone.means


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], NO_PAIRS),
        ([{"ann": 1}, {"ben": 2}], NO_PAIRS),
        ([{"ann": 1, "ben": 1}, {"ann": 1, "ben": 1}], ALL_IDENTICAL),
    ],
)
def test_alpha_of_all_says_why_it_is_undefined(rows, reason):
    group = round_agreement(graded(*rows), PEOPLE[:2], Scale()).groups[0]

    assert (group.alpha.value, group.alpha.undefined) == (None, reason)
    assert group.means["alpha"].undefined == reason


def test_the_order_of_pairs_changes_no_digit():
    pairs = random_pairs()

    assert round_agreement(pairs[::-1], PEOPLE, Scale()).couples == (
        round_agreement(pairs, PEOPLE, Scale()).couples
    )


def test_a_scale_of_two_grades_has_every_coefficient():
    pairs = graded({"ann": 0, "ben": 0}, {"ann": 1, "ben": 0}, {"ann": 1, "ben": 1})

    (couple,) = round_agreement(pairs, PEOPLE[:2], Scale(1, 1)).couples

    assert all(couple.results[each.key].value is not None for each in COEFFICIENTS)
