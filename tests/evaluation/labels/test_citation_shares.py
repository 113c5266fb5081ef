"""Which grades cited papers got."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from evaluation.citations.shares import (
    CandidateLabel,
    GradeShares,
    binary_labels,
    grade_shares,
)


def test_shares_are_of_the_cited_candidates_of_each_facet():
    labels = [
        *[CandidateLabel("method", grade, True) for grade in (0, 0, 1, 3)],
        *[CandidateLabel("method", grade, False) for grade in (0, 3, 3)],
        CandidateLabel("result", 2, False),
    ]
    (method,) = grade_shares(labels, facets=["background", "method", "result"], grades=range(4))
    assert (method.cited, method.others) == ((2, 1, 0, 1), (1, 0, 0, 2))
    assert method.shares == [0.5, 0.25, 0, 0.25]
    assert method.low_share == 0.75
    assert method.cited_share_from(2) == pytest.approx(1 / 3)


def test_the_shares_of_many_labels_are_counted_one_by_one():
    draw = random.Random(1)
    for _ in range(50):
        labels = [
            CandidateLabel(draw.choice("ab"), draw.randrange(4), draw.random() < 0.5)
            for _ in range(draw.randrange(1, 30))
        ]
        rows = {row.facet: row for row in grade_shares(labels, facets="ba", grades=range(4))}
        for facet in "ab":
            cited = [label.grade for label in labels if label.cited and label.facet == facet]
            if not cited:
                assert facet not in rows
                continue
            row = rows[facet]
            counts = Counter(cited)
            assert row.shares == [counts[grade] / len(cited) for grade in range(4)]
            assert row.low_share == (counts[0] + counts[1]) / len(cited)
            for least in range(4):
                same = [label for label in labels if label.facet == facet and label.grade >= least]
                share = sum(label.cited for label in same) / len(same) if same else None
                assert row.cited_share_from(least) == share
        assert list(rows) == sorted(rows, reverse=True)


def test_without_candidates_there_are_no_shares():
    row = GradeShares("method", (0, 0), (3, 1))
    assert (row.shares, row.low_share) == (None, None)
    assert row.cited_share_from(1) == 0
    assert GradeShares("method", (2, 1), (0, 1)).cited_share_from(1) == 0.5
    assert GradeShares("method", (2, 0), (4, 0)).cited_share_from(1) is None


def test_citations_as_labels_are_relevant_or_0():
    assert binary_labels(["a", "x"], ["a", "b"], 2) == {"a": 2, "b": 0}
