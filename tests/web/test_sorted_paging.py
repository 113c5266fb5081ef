"""Pages of a sorted table: every row once, whatever the values and the direction."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import RequestFactory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.models import DOCNO_ORDER, Document
from database.natural_order import natural_key
from tests.support.factories import a_collection
from web.tables.sorted_paging import SortedRows

COLUMNS = {"docno": "", "year": "year", "title": "title"}
SORTS = ["docno", "-docno", "year", "-year", "title", "-title"]

pytestmark = pytest.mark.may_differ


@pytest.fixture
def collection(db):
    return a_collection()


def fill(collection, values) -> None:
    collection.documents.all().delete()
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{number}", year=year, title=title)
        for number, (year, title) in enumerate(values)
    )


def page_at(collection, address: str):
    request = RequestFactory().get(address or "/t")
    rows = SortedRows.of(
        collection.documents.all(),
        request.GET.get("sort", ""),
        COLUMNS,
        key="docno",
        key_order=DOCNO_ORDER,
    )
    return rows.page(request, size=3)


def walk(collection, address: str, direction: str):
    """The pages from this one on, until there is no next one."""
    while address:
        page = page_at(collection, address)
        yield page
        address = getattr(page, direction)


def in_memory(collection, sort: str) -> list[str]:
    """A second implementation."""
    rows = sorted(collection.documents.all(), key=lambda row: natural_key(row.docno))
    name = sort.removeprefix("-")
    if name == "docno":
        return [row.docno for row in (rows[::-1] if sort.startswith("-") else rows)]
    with_value = [row for row in rows if getattr(row, name) is not None]
    with_value.sort(key=lambda row: getattr(row, name), reverse=sort.startswith("-"))
    return [row.docno for row in (*with_value, *(row for row in rows if row not in with_value))]


# The fixture makes a collection; each example fills it anew.
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.none() | st.integers(1990, 1992), st.sampled_from(["", "a", "b&=ü"])),
        max_size=13,
    ),
    st.sampled_from(SORTS),
)
def test_all_pages_forward_and_backward_have_every_row_once(collection, values, sort):
    fill(collection, values)
    expected = in_memory(collection, sort)

    forward = list(walk(collection, f"/t?sort={sort}", "after"))
    *_, last = (f"/t?sort={sort}", *(page.after for page in forward if page.after))
    backward = list(walk(collection, last, "before"))

    assert [row.docno for page in forward for row in page.rows] == expected
    assert [row.docno for page in backward[::-1] for row in page.rows] == expected
    assert [page.rows for page in forward] == [page.rows for page in backward[::-1]]
    for start, page in zip(range(0, len(expected), 3), forward, strict=False):
        numbers = (start + 1, min(start + 3, len(expected)), len(expected))
        assert (page.first, page.last, page.total) == numbers


def test_an_empty_table_is_whole(collection):
    page = page_at(collection, "")

    assert page == ([], 0, 0, 0, "", "")
    assert page.whole


def test_the_address_of_a_page_has_the_value_and_the_key_and_what_was_asked(collection):
    fill(collection, [(1990, ""), (1990, ""), (1990, ""), (None, "")])

    page = page_at(collection, "/t?sort=year&q=a+b&page=7&facet=")

    assert parse_qs(urlsplit(page.after).query) == {
        "sort": ["year"],
        "q": ["a b"],
        "after": ["d2"],
        "at": ["1990"],
    }


def test_a_row_that_is_gone_keeps_its_place(collection):
    fill(collection, [(1990 + number, "") for number in range(6)])
    after = page_at(collection, "/t?sort=year").after
    collection.documents.filter(docno__in=["d2", "d0"]).delete()

    assert [row.docno for row in page_at(collection, after).rows] == ["d3", "d4", "d5"]


@pytest.mark.parametrize("asked", ["after", "before"])
@pytest.mark.parametrize("value", ["x", "", "1e999", "9" * 40, "nan", "-1"])
@pytest.mark.parametrize("sort", SORTS)
def test_any_address_gives_a_page(collection, asked, value, sort):
    fill(collection, [(1990, ""), (None, "")])

    assert page_at(collection, f"/t?sort={sort}&{asked}=zzz&at={value}").total == 2
