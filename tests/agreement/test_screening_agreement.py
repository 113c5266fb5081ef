import pytest

from agreement.coefficients import (
    ALL_IDENTICAL,
    NO_PAIRS,
    alpha_of_units,
    alpha_ordinal,
    kappa,
    percent_agreement,
    spearman,
)
from agreement.screening_agreement import NOT_ORDERED, ScreeningQuestion, agreement_on

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}
PAPERS = [
    {name: values[i] for name, values in OBSERVERS.items() if values[i] is not None}
    for i in range(12)
]


def test_alpha_of_four_screeners_is_that_of_the_published_example():
    units = [list(answers.values()) for answers in PAPERS]

    assert round(alpha_of_units(units, "nominal").value, 3) == 0.743
    assert round(alpha_of_units(units, "ordinal").value, 3) == 0.815


def test_two_screeners_have_the_coefficients_of_two_judges():
    first, second = OBSERVERS["B"], OBSERVERS["D"]
    papers = [{name: answers[name] for name in "BD" if name in answers} for answers in PAPERS]

    rating = agreement_on(ScreeningQuestion("Rating", True, papers))

    assert rating.papers == 10
    assert rating.alpha.value == pytest.approx(alpha_ordinal(first, second).value)
    assert rating.kappa == kappa(first, second)
    assert rating.spearman == spearman(first, second)
    assert rating.percent == percent_agreement(first, second)


def test_more_screeners_have_the_mean_over_their_pairs():
    papers = [{"a": 1, "b": 1, "c": 2}, {"a": 2, "b": 2, "c": 2}]

    # a and b agree on both papers, c agrees with each of them on one of two.
    assert agreement_on(ScreeningQuestion("", True, papers)).percent.value == pytest.approx(200 / 3)


def test_what_is_undefined_has_its_reason():
    alone = agreement_on(ScreeningQuestion("Type", False, [{"a": 1}, {"b": 1}]))
    same = agreement_on(ScreeningQuestion("Type", False, [{"a": 1, "b": 1}] * 2))

    assert (alone.papers, alone.alpha.undefined, alone.kappa.undefined) == (0, NO_PAIRS, NO_PAIRS)
    assert (same.alpha.undefined, same.spearman.undefined) == (ALL_IDENTICAL, NOT_ORDERED)
    assert same.percent.value == 100
