"""What each source of the pools contributed, on a case worked out by hand."""

from __future__ import annotations

import pytest

from adjudication.yields import Held, Yield, yields, yields_of
from tests.factories import a_collection, an_open_query

A, B, C = ("q", "a"), ("q", "b"), ("q", "c")


def test_drawn_relevant_and_found_alone_are_counted():
    held = [
        Held("one", A, drawn=True, found=True),
        Held("two", A, drawn=False, found=True),  # so a is not found by one alone
        Held("one", B, drawn=True, found=True),
        Held("two", B, drawn=False, found=False),  # deeper than it had to draw
        Held("two", C, drawn=True, found=True),
    ]
    grades = {A: [3], B: [2, 0], C: [1]}

    assert yields(held, grades) == [
        Yield("one", drawn=2, judged=3, relevant=2, alone=1),
        Yield("two", drawn=1, judged=1, relevant=0, alone=0),
    ]


def test_a_document_relevant_to_two_queries_counts_twice():
    (one,) = yields([Held("one", A, True, True)], {A: [2, 3]})

    assert (one.judged, one.relevant, one.alone) == (2, 2, 2)


def test_a_source_that_drew_nothing_is_listed_without_a_share():
    one = yields([Held("one", A, drawn=False, found=True)], {A: [3]})[0]

    assert (one.drawn, one.percent) == (0, None)


@pytest.mark.django_db
def test_nothing_is_told_before_a_pair_has_its_final_grade():
    collection = a_collection()
    an_open_query(collection)

    assert yields_of(collection) == []
