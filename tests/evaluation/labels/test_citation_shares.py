"""Which grades cited papers got."""

from __future__ import annotations

import pytest

from evaluation.citations.shares import CandidateLabel, binary_labels, grade_shares


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


def test_citations_as_labels_are_relevant_or_0():
    assert binary_labels(["a", "x"], ["a", "b"], 2) == {"a": 2, "b": 0}
