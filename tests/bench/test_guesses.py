"""The benchmark of guesses sends what its table says, and compares as it says."""

from __future__ import annotations

import numpy as np
import pytest

from bench.guesses import COMPARISONS, guesses, ratio_with_interval, table


@pytest.mark.django_db
@pytest.mark.one_database
def test_each_guess_gets_the_answer_of_its_name():
    sends = guesses()
    # The requests for mails are in tests/accounts/test_attacks.py: threads do not see these rows.
    statuses = {name: send() for name, send in sends.items() if not name.endswith("asked")}

    assert statuses.pop("valid link") == 302
    assert {statuses.pop(name) for name in ("link of none", "expired link", "used link")} == {404}
    assert set(statuses.values()) == {200}
    assert {name for _, *names in COMPARISONS for name in names} == set(sends)


def test_a_ratio_of_medians_has_an_interval_that_tells_a_difference_from_noise():
    noise = np.random.default_rng(1).exponential(0.2, (3, 200)) + 1
    same, other, slower = noise[0], noise[1], noise[2] * 1.5

    _, low, high = ratio_with_interval(same, other)
    ratio, slow, _ = ratio_with_interval(same, slower)

    assert low < 1 < high
    assert (1.4 < ratio < 1.6, slow > 1.3) == (True, True)
    both = np.stack([same, same], axis=1).tolist()
    rows = table({name: both for _, *names in COMPARISONS for name in names})
    assert rows.count(" 1.000 [") == 2 * len(COMPARISONS)
