"""Pages and orders of tables."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from web.tables.cells import Sort, numbered_page, sort_rows


def page(number, rows=range(120), **options):
    return numbered_page(rows, RequestFactory().get("/t", {"q": "a b", "page": number}), **options)


def test_a_page_has_fifty_rows_and_tells_which():
    second = page(2)

    assert second.rows == list(range(50, 100))
    assert (second.first, second.last, second.total) == (51, 100, 120)
    assert not second.whole


def test_the_pages_beside_it_keep_what_was_asked():
    assert page(2).before == "/t?q=a+b&page=1"
    assert page(2, path="/other", anchor="#rows").after == "/other?q=a+b&page=3#rows"
    assert (page(1).before, page(3).after) == ("", "")


@pytest.mark.parametrize(("asked", "first"), [("0", 101), ("99", 101), ("x", 1), ("²", 1), ("", 1)])
def test_a_number_that_is_no_page_gives_the_nearest(asked, first):
    assert page(asked).first == first


def test_a_table_of_one_page_is_whole_and_an_empty_one_too():
    assert page(1, range(50)).whole
    assert page(1, []).whole
    assert (page(1, []).first, page(1, []).before, page(1, []).after) == (0, "", "")


def test_a_missing_value_comes_last_in_either_direction():
    keys = {"name": lambda row: row[0], "seen": lambda row: row[1]}
    rows = [("a", 2), ("b", None), ("c", 1)]

    up, sort = sort_rows(rows, "seen", keys, "name")
    down, _ = sort_rows(rows, "-seen", keys, "name")
    default, unknown = sort_rows(rows, "nothing", keys, "name")

    assert sort == Sort("seen", descending=False)
    assert [name for name, _ in up] == ["c", "a", "b"]
    assert [name for name, _ in down] == ["a", "c", "b"]
    assert (unknown.key, [name for name, _ in default]) == ("name", ["a", "b", "c"])
