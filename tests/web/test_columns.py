"""Columns that a person chooses, and CSV files of them."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from dashboard.table_columns import ALL_TABLES
from tests.support.factories import DocumentFactory, a_collection, a_query, an_open_query
from web.tables.columns import Column, Table, csv_file, in_batches
from web.tables.text_blocks import BLOCK

FORMATS = Path(__file__).parents[2] / "docs" / "formats.md"
TABLE: Table[int] = Table(
    "numbers",
    [
        Column("number", "Number", {"number": int}),
        Column("square", "Square", {"square": lambda number: number * number}),
        Column("word", "Word", {"word": lambda number: "=1+1" * number}),
    ],
)


def request(**session):
    return SimpleNamespace(session=session)


def test_every_column_is_shown_until_others_are_chosen():
    page = request()

    assert len(TABLE.shown(page)) == 3
    TABLE.choose(page, ["word", "nothing"])
    assert [column.key for column in TABLE.shown(page).shown] == ["number", "word"]


def test_the_first_column_always_stays():
    page = request()
    TABLE.choose(page, [])

    assert [column.key for column in TABLE.shown(page).shown] == ["number"]


def test_a_column_of_a_later_version_is_shown():
    page = request()
    TABLE.choose(page, ["square"])
    later = Table("numbers", [*TABLE.columns, Column("half", "Half", {"half": lambda n: n / 2})])

    assert "half" in later.shown(page)
    assert "word" not in later.shown(page)


def test_a_column_on_request_is_hidden_until_it_is_chosen():
    page = request()
    table = Table(
        "numbers", [*TABLE.columns, Column("cube", "Cube", {"cube": lambda n: n**3}, True)]
    )

    assert "cube" not in table.shown(page)
    table.choose(page, ["square", "cube"])
    assert [column.key for column in table.shown(page).shown] == ["number", "square", "cube"]


def test_a_choice_leaves_other_tables_as_they_are():
    page = request(hidden_columns={"words": ["length"]})
    TABLE.choose(page, ["square"])

    assert page.session["hidden_columns"] == {"words": ["length"], "numbers": ["word"]}


def test_a_file_has_the_shown_columns_with_formulas_made_harmless():
    page = request()
    TABLE.choose(page, ["word"])

    assert list(TABLE.shown(page).csv_lines(iter([0, 1]))) == [
        "number,word\r\n",
        "0,\r\n",
        "1,'=1+1\r\n",
    ]


def test_a_file_is_sent_in_blocks_of_lines():
    columns = TABLE.shown(request())
    blocks = list(csv_file("numbers", columns, range(500)).streaming_content)

    assert b"".join(blocks).decode() == "".join(columns.csv_lines(range(500)))
    assert 1 < len(blocks) < 2 + sum(map(len, blocks)) // BLOCK
    assert all(block.endswith(b"\r\n") for block in blocks)


def test_rows_are_read_in_batches():
    sizes = []

    def rows_of(batch):
        sizes.append(len(batch))
        return batch

    assert list(in_batches(range(5), rows_of, 2)) == [0, 1, 2, 3, 4]
    assert sizes == [2, 2, 1]


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_the_documentation_names_every_column_of_a_file(table):
    (line,) = re.findall(rf"^\| {table.name} \| .*$", FORMATS.read_text(), re.MULTILINE)
    names = re.findall("`([^`]+)`", line)[1:]
    fields = [name for column in table.columns for name in column.fields]

    if table.name == "agreement":  # two columns for each coefficient, shown by one of them
        fields = [name for name in fields if name in names]
        assert fields[-1] == "alpha_after"
    assert names == fields


# Pages


@pytest.fixture
def collection(db):
    return a_collection()


@pytest.fixture
def admin(collection):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    return client


def rows_of(answer) -> list[list[str]]:
    text = b"".join(answer.streaming_content).decode()
    return list(csv.reader(text.splitlines()))


def choose(client, table, *columns, page="/"):
    return client.post(
        reverse("choose-columns", args=[table]), {"column": list(columns), "next": page}
    )


def test_the_file_of_documents_has_every_row_that_matches(collection, admin):
    for number in range(60):
        DocumentFactory(collection=collection, docno=f"n{number}", title="=Same", year=None)
    DocumentFactory(collection=collection, docno="other", title="Else")
    page = reverse("documents", args=["small"])

    answer = admin.get(page, {"q": "same", "year": "unknown", "format": "csv"})

    head, *rows = rows_of(answer)
    assert answer["Content-Disposition"] == 'attachment; filename="small-documents.csv"'
    assert head == ["docno", "title", "year", "sentences", "labels_from"]
    assert [row[0] for row in rows] == [f"n{number}" for number in range(60)]
    assert rows[0] == ["n0", "'=Same", "", "3", "imported"]


def test_hidden_columns_are_neither_on_the_page_nor_in_the_file(collection, admin):
    DocumentFactory(collection=collection, docno="d1", year=1987)
    page = reverse("documents", args=["small"])

    answer = choose(admin, "documents", "sentences", page=page)

    assert answer.url == page
    assert "1987" not in admin.get(page).text
    assert rows_of(admin.get(page, {"format": "csv"}))[0] == ["docno", "title", "sentences"]


@pytest.mark.parametrize(
    "page", ["https://example.org/", "//example.org", "javascript:alert(1)", ""]
)
def test_a_choice_never_leads_to_another_site(admin, page):
    assert choose(admin, "documents", page=page).url == "/"


def test_an_unknown_table_is_not_found(admin):
    assert choose(admin, "nothing").status_code == 404


def test_queries_are_filtered_by_facet_and_state_on_the_page_and_in_the_file(collection, admin):
    opened = an_open_query(collection, size=1).query
    waiting = a_query(collection, size=1, facet="result")
    page = reverse("queries", args=["small"])

    def found(**filters):
        return [row[0] for row in rows_of(admin.get(page, {**filters, "format": "csv"}))[1:]]

    assert found(state="open") == [opened.name]
    assert found(state="not-open") == [waiting.name]
    assert found(state="no-pool") == found(state="done") == []
    assert found(facet="result") == [waiting.name]
    assert found(facet="result", state="open") == []
    shown = admin.get(page, {"state": "open"})
    assert "1 of 2 queries matches the filters" in " ".join(shown.text.split())
    assert f'href="{page}"' in shown.text
