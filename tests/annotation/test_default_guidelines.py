"""The guidelines that a new collection begins with."""

import pytest

from annotation.guidelines.defaults import default_guidelines
from annotation.guidelines.forms import LONGEST_DEFINITION
from corpus.facets import DEFAULT_FACETS

FACETS = [plan.key for plan in DEFAULT_FACETS]


def grade_of(facet, number):
    grade = default_guidelines()[facet]["grades"][number]
    return f"{grade['definition']}. {grade['detail']}"


@pytest.mark.parametrize("facet", FACETS)
def test_every_default_facet_defines_and_illustrates_every_grade(facet):
    grades = default_guidelines()[facet]["grades"]

    assert [grade["grade"] for grade in grades] == [0, 1, 2, 3]
    for grade in grades:
        assert len(grade["definition"]) <= LONGEST_DEFINITION
        assert grade["name"]
        assert grade["detail"].endswith(".")
        assert grade["example"].endswith(".")


@pytest.mark.parametrize("facet", FACETS)
def test_a_match_on_any_aspect_counts_and_doubt_lowers_no_grade(facet):
    instructions = default_guidelines()[facet]["instructions"]

    assert "any one" in instructions
    assert "lower" not in instructions
    assert "hesitate" not in instructions


def test_the_mechanism_decides_about_methods():
    assert "The mechanism decides." in default_guidelines()["method"]["instructions"]
    # Where the details differ, the same mechanism is similar and not near identical.
    assert "details are only comparable" in grade_of("method", 2)
    assert "objects that they work on" in grade_of("method", 3)
    # The four ways in which methods are merely related.
    for case in ("details are alike", "very high level only", "unimportant part", "less detailed"):
        assert case in grade_of("method", 1)
    assert "mentions or analyses" in grade_of("method", 0)


def test_an_opposite_finding_and_a_test_of_the_same_task_are_near_identical_results():
    assert "opposite" in grade_of("result", 3)
    assert "on the same task" in grade_of("result", 3)
    assert "opposite" not in grade_of("result", 1)
