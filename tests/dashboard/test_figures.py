"""The figures of the board."""

from __future__ import annotations

import csv
import io

import pytest

from annotation.models import PairCount
from dashboard.board.figures import progress_figure, progress_of
from tests.support.factories import a_collection, a_query, an_open_query
from tests.support.visits import address, client_of

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


def test_without_open_queries_there_is_no_figure():
    a_query(a_collection())

    assert "<figure" not in client_of("admin").get(address("board")).text


def test_the_file_counts_the_queries_of_the_collection():
    an_open_query(a_collection(), size=1)

    content = client_of("admin").get(address("board-figure", "progress", "csv"))

    assert [row for row in rows_of(content.text) if row[1] != "0"] == [["0 %", "1"]]
