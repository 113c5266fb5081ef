"""The corpus filter of CSFCube's datasheet, rule by rule."""

import pytest

from corpus.filters import CSFCUBE, broken_rule

GOOD = "four tokens are here"


def words(count: int) -> str:
    return " ".join(["w"] * count)


@pytest.mark.parametrize(
    ("sentences", "rule"),
    [
        ([], "fewer than 3 sentences"),
        ([GOOD] * 2, "fewer than 3 sentences"),
        ([GOOD] * 3, None),
        ([GOOD] * 20, None),
        ([GOOD] * 21, "more than 20 sentences"),
        ([GOOD, GOOD, words(80)], None),
        ([GOOD, GOOD, words(81)], "a sentence of more than 80 tokens"),
        ([GOOD, GOOD, "w" * 1000], None),
        (["only three tokens"] * 3, "no sentence of 4 tokens or more"),
        (["only three tokens", "x", GOOD], None),
    ],
)
def test_each_rule_begins_where_the_datasheet_says(sentences, rule):
    broken = broken_rule(sentences, CSFCUBE)

    assert (broken.name if broken else None) == rule


def test_without_rules_everything_stays():
    assert broken_rule([], ()) is None
