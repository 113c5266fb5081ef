"""What is said of collections whose quality is known; docs/pool_bias.md has the table."""

import pytest

from evaluation.pool_bias.computation.support import SupportAnswer
from tests.support.known_pools import Setting, known_quality

DEEP = Setting(queries=30)


@pytest.mark.parametrize(
    ("setting", "answer", "least_error", "most_error"),
    [
        (DEEP, SupportAnswer.SUPPORTED, 0, 0.01),
        (Setting(depth=5), SupportAnswer.UNKNOWN, 0.02, 0.1),
        (Setting(dominating=True, depth=20, queries=30), SupportAnswer.NOT_SUPPORTED, 0.1, 0.2),
        (Setting(queries=8), SupportAnswer.UNKNOWN, 0, 0.01),
        (Setting(scored_sources=3, queries=30), SupportAnswer.UNKNOWN, 0, 0.01),
    ],
    ids=["deep", "shallow", "dominating", "few queries", "few sources"],
)
def test_the_answer_fits_the_true_error_for_new_systems(setting, answer, least_error, most_error):
    known = known_quality(setting, seed=1)
    assert known.support.answer == answer
    assert least_error <= known.error <= most_error


def test_the_largest_change_is_at_least_the_true_error_for_new_systems():
    known = known_quality(DEEP, seed=2)
    assert known.error <= known.support.largest


def test_the_same_pools_with_fewer_queries_are_never_supported_again():
    answers = [
        known_quality(Setting(depth=20, queries=queries), seed=3).support.answer
        for queries in (40, 24, 12)
    ]
    assert answers == [SupportAnswer.SUPPORTED, SupportAnswer.UNKNOWN, SupportAnswer.UNKNOWN]
