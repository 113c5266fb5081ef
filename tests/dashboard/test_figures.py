"""The figures of the board."""

from __future__ import annotations

import csv
import io

import pytest

from annotation.models import PairCount
from dashboard.board.figures import progress_figure, progress_of, queries_figure
from dashboard.board.rows import open_queries_matching, open_rows
from tests.support.factories import a_collection, a_query, an_open_query
from tests.support.release_scenes import GRADES, an_opened_collection, judge_all, slot_of
from tests.support.sittings import judge
from tests.support.visits import address, client_of, queries_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def rows_of(content: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content)))[1:]


def test_queries_are_counted_by_the_share_of_their_judged_pairs():
    collection = a_collection()
    judged_of_200 = [0, 1, 49, 50, 99, 100, 149, 150, 199, 200]
    for judged in judged_of_200:
        opening = an_open_query(collection, size=1)
        PairCount.objects.filter(query=opening.query).update(total=200, judged=judged)
    an_open_query(a_collection("far"), size=1)

    assert progress_of(collection) == {
        "0 %": 1,
        "1–24": 2,
        "25–49": 2,
        "50–74": 2,
        "75–99": 2,
        "100 %": 1,
    }


def test_the_progress_is_said_in_numbers():
    counts = {"0 %": 3, "1–24": 0, "25–49": 1, "50–74": 0, "75–99": 0, "100 %": 1200}
    (panel,) = progress_figure(counts).panels

    assert panel.finding == (
        "Of 1,204 open queries, 3 have no pair with both judgments and 1,200 are judged."
    )


def test_a_query_is_drawn_by_its_slots_and_cases_and_leads_to_its_pool():
    collection = an_opened_collection()
    judge_all(collection, {("q1_method", "d1"): GRADES["q1_method", "d1"]})
    judge(slot_of(collection, "q1_method", "d2", 2), 3)

    rows = open_rows(list(open_queries_matching(collection, "q1_method")))
    figure = queries_figure(rows, collection.slug)

    (panel,) = figure.panels
    assert panel.address == address("pool", "q1")
    assert figure.rows[0][:5] == ("q1_method", 1, 3, 2, 3)
    assert panel.finding.startswith("q1_method: slot 1 1 of 3, slot 2 2 of 3, cases settled 0 of")


def test_the_files_have_the_rows_of_the_page():
    collection = a_collection()
    for _ in range(52):
        an_open_query(collection, size=1)
    admin = client_of("admin")

    first = admin.get(address("board"), {"sort": "-query", "facet": "method"})
    page = admin.get(first.context["opened"].after)
    content = admin.get(page.context["figures"]["queries"].csv)

    names = [row.query.name for row in page.context["rows"]]
    assert [row[0] for row in rows_of(content.text)] == names
    assert len(names) == 2


def test_a_search_without_rows_still_shows_the_progress_of_all():
    an_open_query(a_collection(), size=1)

    page = client_of("admin").get(address("board"), {"q": "nothing"})

    assert list(page.context["figures"]) == ["progress"]
    assert page.status_code == 200


def test_without_open_queries_there_is_no_figure():
    a_query(a_collection())

    assert "<figure" not in client_of("admin").get(address("board")).text


def test_more_queries_cost_the_files_no_more_questions(django_assert_num_queries):
    collection = a_collection()
    an_open_query(collection)
    admin = client_of("admin")
    url = address("board-figure", "queries", "svg")
    expected = queries_of(admin, url)
    for _ in range(3):
        an_open_query(collection)

    with django_assert_num_queries(expected):
        admin.get(url)
