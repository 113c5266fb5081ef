"""Errors in a ranked list."""

import pytest

from evaluation.error_browser.figures import ranks_panel
from evaluation.error_browser.finding import ErrorKind, RankingError, find_errors, ungraded

MISS, FALSE_POSITIVE = ErrorKind.MISS, ErrorKind.FALSE_POSITIVE
RANKING = ["bad", "good", "new", "worse", "late", "fine", "later"]
GRADES = {"bad": 1, "good": 3, "worse": 0, "late": 2, "fine": 0, "later": 3, "lost": 2, "none": 0}


def errors(depth, ranking=RANKING):
    return find_errors(ranking, GRADES, relevant_from=2, depth=depth)


def test_false_positives_come_by_rank_and_misses_by_grade_then_from_the_lowest_place_up():
    assert errors(4) == [
        RankingError("bad", FALSE_POSITIVE, 1, 1),
        RankingError("worse", FALSE_POSITIVE, 4, 0),
        RankingError("later", MISS, 7, 3),
        RankingError("lost", MISS, None, 2),
        RankingError("late", MISS, 5, 2),
    ]


def test_the_depth_decides_what_is_an_error():
    assert [error.docno for error in errors(1)] == ["bad", "later", "good", "lost", "late"]
    assert [error.docno for error in errors(7)] == ["bad", "worse", "fine", "lost"]
    assert [error.docno for error in errors(3, [])] == ["good", "later", "late", "lost"]
    with pytest.raises(ValueError, match="at least 1"):
        errors(0)


def test_a_document_without_a_grade_is_counted_and_no_error():
    assert "new" not in {error.docno for error in errors(4)}
    assert (ungraded(RANKING, GRADES, 4), ungraded(RANKING, GRADES, 2)) == (1, 0)


def test_the_squares_have_the_grades_in_the_order_of_the_ranks_and_name_no_unlabelled_document():
    panel = ranks_panel(["a", "b", "c"], {"a": 3, "c": 0})

    assert [bar.css for bar in panel.bars] == ["g3", "rest", "g0"]
    assert panel.bars[1].title == "rank 2: no final label"
    assert panel.finding == "Of 3 documents: 1 of grade 3, 1 of grade 0."
