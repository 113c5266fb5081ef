"""Plans of a choice: their numbers and pins, which papers they allow, and what is wrong. Pure."""

from __future__ import annotations

from fractions import Fraction

import pytest

from curation.choice import plan as choice_plan
from curation.choice.balance import EligiblePaper
from curation.choice.plan import (
    ChoiceError,
    ChoicePlan,
    RatedPaper,
    candidates_of,
    infeasible,
    numbers_of,
    read_pins,
    write_pins,
)

FACETS = ("background", "method", "result")


def paper(docno: str, **values) -> RatedPaper:
    defaults = {
        **{"title": docno, "year": 2000, "period": "p", "paper_type": "data"},
        **{"is_excluded": False, "facets": ("method", "result")},
        **{"rating": Fraction(4), "screeners": 1, "used_facets": ()},
    }
    return RatedPaper(docno, **{**defaults, **values})


def plan(*numbers: int, **values) -> ChoicePlan:
    return ChoicePlan(
        **{"sample": "s", "numbers": numbers, "least_rating": 3, "seed": "1", **values}
    )


PAPERS = [paper("a"), paper("b"), paper("c", facets=FACETS)]


def docnos(candidates: list[EligiblePaper]) -> list[str]:
    return [candidate.docno for candidate in candidates]


def test_a_plan_counts_papers_and_queries_and_survives_json():
    full = plan(3, 2, 1, pins={"b": ("method", "result"), "a": ()}, bars=("y", "x"))

    assert (full.papers, full.queries) == (6, 10)
    assert full.as_json() == {
        "sample": "s",
        "numbers": [3, 2, 1],
        "least_rating": 3,
        "seed": "1",
        "pins": {"a": [], "b": ["method", "result"]},
        "bars": ["x", "y"],
    }
    assert list(full.as_json()["pins"]) == ["a", "b"]
    assert ChoicePlan.of(full.as_json()) == plan(
        3, 2, 1, pins={"a": (), "b": ("method", "result")}, bars=("x", "y")
    )


@pytest.mark.parametrize(
    ("papers", "several", "numbers"),
    [
        (5, [], (5,)),
        (5, [2, 1], (2, 2, 1)),
        (5, [0, 0], (5,)),
        (5, [5], (0, 5)),
        (5, [0, 1, 0], (4, 0, 1)),
        (0, [0], (0,)),
    ],
)
def test_numbers_are_papers_under_one_facet_two_and_so_on(papers, several, numbers):
    assert numbers_of(papers, several) == numbers


def test_more_papers_under_several_facets_than_papers_are_refused():
    with pytest.raises(ChoiceError, match=r"^4 papers under several facets .* the 3 papers"):
        numbers_of(3, [3, 1])


def test_pins_are_docnos_with_facets_behind_them():
    text = "1 method\n\n 2 \nnew method result method\nresult\nx other\nb result method"

    pins = read_pins(text, FACETS)

    assert pins == {
        "1": ("method",),
        "2": (),
        "new": ("method", "result"),
        "result": (),
        "x other": (),
        "b": ("method", "result"),
    }
    assert write_pins(pins) == "1 method\n2\nnew method result\nresult\nx other\nb method result"


def test_papers_that_the_plan_allows_are_candidates():
    papers = [
        *PAPERS,
        paper("excluded", is_excluded=True),
        paper("low", rating=Fraction(5, 2)),
        paper("least", rating=Fraction(3)),
        paper("bare", facets=()),
        paper("barred"),
        paper("query", is_excluded=True, rating=Fraction(1), facets=(), used_facets=("method",)),
    ]

    found = candidates_of(papers, plan(2, 1, bars=("barred",), pins={"a": ()}))

    assert docnos(found) == ["a", "b", "c", "least", "query"]
    assert [candidate.is_pinned for candidate in found] == [True, False, False, False, True]
    assert found[0] == EligiblePaper(
        "a", "p", "data", (("method",), ("result",), ("method", "result")), Fraction(4), True
    )


def test_options_are_every_set_of_facets_up_to_the_size_of_the_plan():
    both = paper("a", facets=("background", "method"), used_facets=("result",))

    (one,) = candidates_of([both], plan(1))
    (two,) = candidates_of([both], plan(0, 1))
    (three,) = candidates_of([both], plan(0, 0, 1))

    assert one.options == (("result",),)
    assert two.options == (("result",), ("background", "result"), ("method", "result"))
    assert three.options == (*two.options, FACETS)


def test_a_pin_with_facets_leaves_no_other_option():
    pinned = candidates_of(PAPERS, plan(0, 1, pins={"c": ("background", "result")}))[2]

    assert pinned.options == (("background", "result"),)
    assert pinned.is_pinned


@pytest.mark.parametrize(
    ("papers", "wanted", "message"),
    [
        (PAPERS, plan(0), "0 papers cannot be chosen. Choose from 1 to 500 papers."),
        (PAPERS, plan(501), "501 papers cannot be chosen"),
        (PAPERS, plan(-1, 2), "1 papers cannot be chosen"),
        (
            PAPERS,
            plan(1, pins={"x": (), "a": ()}, bars=("y",)),
            "Not a screened paper of the sample s: x, y. Remove it from the pinned",
        ),
        (PAPERS, plan(1, pins={"a": (), "b": ()}, bars=("b",)), "Pinned and barred: b. Remove"),
        (
            [*PAPERS, paper("q", used_facets=("method",))],
            plan(1, bars=("a", "q")),
            "A query paper cannot be barred: q. Remove its queries first.",
        ),
        (
            [*PAPERS, paper("x", is_excluded=True)],
            plan(1, pins={"x": ()}),
            "x has the type data, which is excluded, so it cannot be pinned. Remove the pin.",
        ),
        (
            [*PAPERS, paper("x", rating=Fraction(8, 3))],
            plan(1, pins={"x": ()}),
            "x is rated 2.67, below 3, so it cannot be pinned",
        ),
        (
            [*PAPERS, paper("x", facets=())],
            plan(1, pins={"x": ()}),
            "x has substantial content in no facet, so it cannot be pinned",
        ),
        (
            PAPERS,
            plan(1, pins={"a": ("background", "method")}),
            "a cannot be pinned under background and method. It has substantial content in "
            "method and result.",
        ),
        (
            [paper("q", used_facets=("method", "result"))],
            plan(0, 1, pins={"q": ("method",)}),
            "q is a query under method and result already. Pin it under these facets too",
        ),
        (
            PAPERS,
            plan(4),
            "3 papers can be chosen, but the plan needs 4. Of 3 screened papers, none cannot be",
        ),
        (
            [paper("a")],
            plan(2),
            "1 paper can be chosen, but the plan needs 2. Of 1 screened paper,",
        ),
        (
            PAPERS,
            plan(1, pins={"a": (), "b": ()}),
            "2 papers are pinned or queries already, but the plan has only 1 papers.",
        ),
        (
            [*PAPERS, paper("q", used_facets=("method", "result"))],
            plan(2),
            "q is a query under more than 1 facets, but no paper of the plan is.",
        ),
        (
            PAPERS,
            plan(0, 0, 2),
            "1 paper can be put under 3 or more facets, but the plan needs 2. Plan fewer papers "
            "under 3 facets",
        ),
        (
            [paper("a", facets=("method",)), paper("b"), paper("c", facets=FACETS)],
            plan(0, 2, 1),
            "2 papers can be put under 2 or more facets, but the plan needs 3",
        ),
    ],
)
def test_a_plan_that_cannot_be_fulfilled_says_why(papers, wanted, message):
    with pytest.raises(ChoiceError) as caught:
        candidates_of(papers, wanted)
    assert message in str(caught.value)


def test_plans_at_their_limits_are_accepted():
    many = [paper(f"d{number}") for number in range(500)]

    assert len(candidates_of(many, plan(500))) == 500
    assert len(candidates_of(PAPERS, plan(1))) == 3
    assert len(candidates_of(PAPERS, plan(3))) == 3
    assert len(candidates_of(PAPERS, plan(1, 1, pins={"a": (), "b": ()}))) == 3
    assert len(candidates_of(PAPERS, plan(0, 2, 1))) == 3


def test_a_query_may_be_pinned_under_all_its_facets_and_more():
    query = paper("q", facets=("background",), used_facets=("method",))

    (found,) = candidates_of([query], plan(0, 1, pins={"q": ("background", "method")}))

    assert found.options == (("background", "method"),)


def test_at_most_five_docnos_are_named():
    with pytest.raises(ChoiceError, match="x0, x1, x2, x3, x4 and 1 more"):
        candidates_of(PAPERS, plan(1, bars=tuple(f"x{number}" for number in range(6))))
    assert choice_plan.LISTED == 5


def test_papers_left_out_are_counted_by_their_first_reason():
    papers = [
        paper("a"),
        paper("barred", is_excluded=True),
        paper("excluded1", is_excluded=True, rating=Fraction(1)),
        paper("excluded2", is_excluded=True),
        *(paper(f"low{n}", rating=Fraction(1), facets=()) for n in range(3)),
        *(paper(f"bare{n}", facets=()) for n in range(4)),
        paper("least", rating=Fraction(3), facets=()),
        paper("query", used_facets=("method",), rating=Fraction(1)),
    ]
    with pytest.raises(ChoiceError) as caught:
        candidates_of(papers, plan(9, bars=("barred",)))
    assert str(caught.value) == (
        "2 papers can be chosen, but the plan needs 9. Of 13 screened papers, 3 rated below 3, 2 "
        "of an excluded type, 5 without substantial content in a facet, 1 barred cannot be chosen. "
        "Choose fewer papers, lower the least rating, or screen more papers."
    )


def test_a_plan_without_a_solution_says_what_is_possible():
    candidates = candidates_of(PAPERS, plan(1, 1, 1, pins={"a": ()}))

    error = infeasible(candidates, plan(1, 1, 1))

    assert str(error) == (
        "No choice fulfils the whole plan. It needs papers by number of facets: 1 under 1, 1 under "
        "2, 1 under 3. Possible are 3 under 1, 3 under 2, 1 under 3, and 1 papers are pinned or "
        "queries already. Change the numbers, or remove pins and bars."
    )
