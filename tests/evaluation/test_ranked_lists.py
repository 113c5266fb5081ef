"""Two ranked lists for one query, with the final grades."""

from __future__ import annotations

import pytest

from adjudication.models import Recipient
from adjudication.referrals.services import refer_pair
from evaluation.ranked_lists.page import PAGE_RANKS, names_of_sides
from scoring.services import evaluate
from tests.support.label_scenes import a_system, two_systems
from tests.support.pooling_scenes import a_listed_run
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    """Labels: q1_background d2 2; q1_method d1 3, d2 2; q2_method d1 1, d3 2; others 0."""
    return a_judged_collection()


def lists(**choices: object):
    page = client_of("admin").get(address("ranked-lists"), choices)
    assert page.status_code == 200
    return page


def test_both_lists_have_grades_and_lead_to_each_other(collection):
    two_systems(collection)
    evaluate(collection=collection)

    page = lists(first="good", second="bad", query="q1_background", profile="trec")
    good, bad = page.context["sides"]
    assert [(row.rank, row.docno, row.grade) for row in good.rows] == [
        (1, "d2", 2),
        (2, "d1", 0),
        (3, "d3", 0),
    ]
    assert [row.twin for row in good.rows] == ["#second-3", "#second-2", "#second-1"]
    assert good.value > bad.value
    for part in ('id="second-3"', 'href="#first-1"', "grade-2", address("document", "d2")):
        assert part in page.text
    assert "first=good&amp;second=bad&amp;query=q1_method&amp;profile=trec" in page.text


def test_a_run_that_was_never_scored_has_its_lists_and_one_system_stands_alone(collection):
    a_listed_run(collection, "new_run", {"q1": ["d1", "nowhere"]})

    page = lists(query="q1_method")
    (side,) = page.context["sides"]
    assert [row.docno for row in side.rows] == ["d1", "nowhere"]
    assert "not in this collection" in page.text
    assert lists(query="nothing").context.get("sides") is None


def test_a_judgment_of_one_person_is_not_told(collection):
    two_systems(collection)
    refer_pair(
        collection=collection,
        query="q1_background",
        docno="d2",
        recipient=Recipient.JUDGES,
        reason="a mistake",
        referred_by=None,
    )

    page = lists(first="good", second="bad", query="q1_background")
    assert page.context["sides"][0].rows[0].grade is None
    assert page.context["sides"][0].unlabelled == 1
    assert "no final label" in text_of(page)


def test_long_lists_are_shown_in_pages_and_links_lead_across_them(collection):
    docnos = [f"d{number}" for number in range(1, PAGE_RANKS + 11)]
    a_system(collection, "down", {"q1_method": docnos})
    a_system(collection, "up", {"q1_method": docnos[::-1]})

    page = lists(first="down", second="up", query="q1_method")
    first = page.context["sides"][0].rows
    assert len(first) == PAGE_RANKS
    assert first[0].twin == f"?first=down&second=up&query=q1_method&page=2#second-{len(docnos)}"
    after = lists(first="down", second="up", query="q1_method", page=2)
    assert [row.rank for row in after.context["sides"][0].rows] == list(range(26, 36))
    assert lists(first="down", second="up", query="q1_method", page="x").context["page"] == 1


def test_the_page_asks_as_many_questions_for_long_lists(collection):
    two_systems(collection)
    evaluate(collection=collection)
    admin = client_of("admin")
    page = f"{address('ranked-lists')}?first=good&second=bad&query=q2_method"
    few = queries_of(admin, page)
    docnos = [f"d{number}" for number in range(1, 90)]
    a_system(collection, "good-2", {"q2_method": docnos})

    assert queries_of(admin, page.replace("first=good", "first=good-2")) == few
    assert few <= 40


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", ("my_bm25", "a")),
        ("", "a", ("my_bm25", "a")),
        ("", "my_bm25", ("a", "my_bm25")),
        ("b", "", ("b", "a")),
        ("b", "b", ("b", "")),
    ],
)
def test_a_missing_system_is_replaced_by_another_one(first, second, expected):
    assert names_of_sides(["a", "b", "my_bm25"], first, second) == expected


def test_a_single_system_has_a_list_alone():
    assert names_of_sides(["a"], "", "a") == ("a", "")
    assert names_of_sides(["a"], "", "") == ("a", "")
