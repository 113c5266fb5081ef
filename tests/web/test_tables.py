"""One table for every list: sorting, filtering, pages, CSV. From a queryset and from a list of dicts alike."""

from __future__ import annotations

import csv
import io

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory

from corpus.models import Document
from tests import builders
from web.csv import defused
from web.tables import Column, Filter, Table

pytestmark = pytest.mark.django_db
COLUMNS = [Column("docno", "Id"), Column("title", "Title"), Column("year", "Year", number=True)]


@pytest.fixture
def documents(collection):
    for number in range(60):
        year = None if number == 7 else 2000 + number % 5
        builders.document(collection, f"d{number:02}", title=f"Title {number}", year=year)
    return collection.documents.all()


@pytest.fixture(params=["queryset", "list"])
def table(request, documents):
    rows = documents if request.param == "queryset" else list(documents.values("docno", "title", "year"))

    def ask(**parameters) -> Table:
        asked = RequestFactory().get("/", parameters)
        years = Filter("year", "Year", [(year, str(year)) for year in range(2000, 2005)])
        return Table(asked, rows, columns=COLUMNS, row="x.html", search=["docno", "title"], filters=[years])

    return ask


def ids(table: Table) -> list[str]:
    return [row["docno"] if isinstance(row, dict) else row.docno for row in table.page.object_list]


def test_it_shows_fifty_rows_a_page(table):
    assert len(ids(table())) == 50
    assert len(ids(table(page=2))) == 10
    assert len(ids(table(page=99))) == 10  # the nearest page


def test_it_sorts_both_ways_and_puts_missing_values_last(table):
    assert ids(table(sort="-docno"))[0] == "d59"
    for sort in ("year", "-year"):
        assert ids(table(sort=sort, page=2))[-1] == "d07"
    assert table(sort="password").sort == ""


def test_all_words_must_be_found(table):
    assert ids(table(q="title 59")) == ["d59"]
    assert ids(table(q="nothing")) == []


def test_a_search_as_long_as_a_book_finds_nothing(table):
    assert ids(table(q="x" * 60_000)) == []


def test_a_filter_takes_only_its_choices(table):
    assert len(ids(table(year="2001"))) == 12
    assert table(year="1; drop").page.paginator.count == 60


def test_a_head_sorts_numbers_from_the_largest(table):
    heads = {head["column"].key: head["url"] for head in table(q="title").heads}
    assert heads["year"] == "?q=title&sort=-year"
    assert heads["docno"] == "?q=title&sort=docno"


def test_filtering_keeps_what_else_the_address_says(table):
    asked = table(missing="zero", q="59", year="2004", page=2)
    assert asked.others == [("missing", "zero")]
    assert asked.unfiltered_url == "?missing=zero"


def test_the_csv_has_all_rows_that_match(table):
    text = b"".join(table(year="2001").csv().streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 12
    assert list(rows[0]) == ["docno", "title", "year"]


@pytest.mark.parametrize("cell", ["=1+1", "+44", "@x", "-x", " =1", "'=1"])
def test_text_that_a_spreadsheet_would_run_is_defused(cell):
    assert str(defused(cell)) == f"'{cell}" or cell == "+44"


@pytest.mark.parametrize("cell", ["-1.5", "1e-3", 7, None, "plain"])
def test_other_cells_stay(cell):
    assert defused(cell) == cell


def test_a_page_of_many_rows_asks_the_database_twice(documents, django_assert_num_queries):
    with django_assert_num_queries(2):
        table = Table(RequestFactory().get("/"), Document.objects.all(), columns=COLUMNS, row="x.html")
        list(table.page.object_list)


def test_a_filter_without_choices_is_not_shown(rf):
    def shown(choices) -> str:
        table = Table(rf.get("/"), [], columns=[], row="x.html", filters=[Filter("facet", "Facet", choices)])
        return render_to_string("web/table.html", {"table": table})

    assert "Facet: all" in shown([("method", "method")])
    assert "Facet: all" not in shown([])
