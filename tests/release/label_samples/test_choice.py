"""The draw: every stratum has its share, and the same seed gives the same pairs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.label_samples.choice import LabelSampleError, by_stratum, draw_pairs, evenly

STRATA = {
    ("Biology", "true", 1): [("q1", f"t{number}") for number in range(5)],
    ("Biology", "bm25", 0): [("q1", f"b{number}") for number in range(100)],
    ("Physics", "bm25", 0): [("q2", f"b{number}") for number in range(3)],
}


def test_half_of_the_pairs_have_each_label_and_what_one_lacks_goes_to_the_others():
    drawn = draw_pairs(STRATA, size=20, seed="s", name="n")

    assert [stratum[1:] for stratum in drawn.strata] == [
        ("bm25", 0, 100, 12),
        ("true", 1, 5, 5),
        ("bm25", 0, 3, 3),
    ]
    assert {stratum: len(pairs) for stratum, pairs in drawn.pairs.items()} == {
        stratum: stratum.sampled for stratum in drawn.strata
    }
    assert drawn.strata[0].inclusion == 12 / 100


def test_the_same_seed_and_name_give_the_same_pairs_and_others_do_not():
    again = [
        draw_pairs(STRATA, size=20, seed=seed, name=name).pairs
        for seed, name in (
            ("s", "n"),
            ("s", "n"),
            ("s", "other"),
            ("other", "n"),
        )
    ]

    assert again[0] == again[1]
    assert again[0] != again[2]
    assert again[0] != again[3]


def test_every_pair_of_a_stratum_is_drawn_equally_often():
    """1,000 draws of 12 of 100: each pair about 120 times, with a standard deviation of 10."""
    times: Counter[str] = Counter()
    for seed in range(1_000):
        pairs = draw_pairs(STRATA, size=20, seed=str(seed), name="n").pairs
        times.update(docno for rows in pairs.values() for _, docno in rows if docno[0] == "b")
    of_biology = [times[f"b{number}"] for number in range(3, 100)]

    assert min(of_biology) > 60
    assert max(of_biology) < 180


def test_too_few_pairs_and_no_labels_are_refused():
    with pytest.raises(LabelSampleError, match="2 pairs are too few: the labels have 3 strata"):
        draw_pairs(STRATA, size=2, seed="s", name="n")
    with pytest.raises(LabelSampleError, match="No candidate has a citation label"):
        draw_pairs(by_stratum([]), size=2, seed="s", name="n")


@given(st.integers(0, 60), st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_a_number_is_spread_as_evenly_as_the_rooms_allow(number, rooms):
    given_ = evenly(number, rooms)

    assert sum(given_) == min(number, sum(rooms))
    assert all(0 <= part <= room for part, room in zip(given_, rooms, strict=True))
    most = max(given_)
    assert all(part == room or part >= most - 1 for part, room in zip(given_, rooms, strict=True))
