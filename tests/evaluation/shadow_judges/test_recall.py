"""A model grade by grade."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import recall_score

from evaluation.shadow_judges.worth.grades import mean_differences, recalls
from evaluation.shadow_judges.worth.resamples import QueryResamples
from tests.support.compared_pairs import compared, pairs_with_facts


def test_recall_is_that_of_scikit_learn_against_every_rater():
    rows = pairs_with_facts()
    pairs = compared(rows)
    found = recalls(pairs, QueryResamples(len(pairs.queries), "seed", 200))
    assert [(row["given"], row["grade"]) for row in found] == [
        (given, grade) for given in ("final", "first", "second") for grade in range(4)
    ]
    for row in found:
        given = [getattr(pair, row["given"]) for pair, _ in rows]
        assert row["pairs"] == given.count(row["grade"])
        for rater, share in row["recall"].items():
            labels = [getattr(pair, rater) for pair, _ in rows]
            expected = recall_score(given, labels, labels=[row["grade"]], average="macro")
            assert share["value"] == pytest.approx(expected)
            low, high = share["interval"]
            assert low <= share["value"] <= high
    assert [list(row["recall"]) for row in found[::4]] == [
        ["model", "first", "second"],
        ["model", "second"],
        ["model", "first"],
    ]


def test_a_rare_grade_has_its_number_and_the_reason():
    rows = [(pair._replace(final=min(pair.final, 2)), facts) for pair, facts in pairs_with_facts()]
    rows[0] = (rows[0][0]._replace(final=3), rows[0][1])
    pairs = compared(rows)
    found = recalls(pairs, QueryResamples(len(pairs.queries), "seed", 200))
    assert (found[3]["pairs"], found[3]["queries"]) == (1, 1)
    assert found[3]["recall"]["model"]["undefined"] == "1 of at least 30 pairs"


def test_the_mean_difference_is_that_of_the_pairs_with_a_final_label():
    rows = [
        (pair._replace(final=None, set_aside=True) if number % 5 == 0 else pair, facts)
        for number, (pair, facts) in enumerate(pairs_with_facts())
    ]
    pairs = compared(rows)
    found = mean_differences(pairs, QueryResamples(len(pairs.queries), "seed", 200))
    for rater in ("model", "first", "second"):
        errors = [getattr(pair, rater) - pair.final for pair, _ in rows if pair.final is not None]
        assert found[rater]["value"] == pytest.approx(np.mean(errors))
