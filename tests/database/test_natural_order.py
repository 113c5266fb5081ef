"""The natural order of ids, and the keys that the database stores for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents.importing import import_documents
from corpus.topics.queries import add_queries
from database.natural_order import natural_key
from jobs.context import DirectRun
from tests.support.factories import DocumentFactory, a_collection

IDS = st.text(alphabet="0012 9aq_-é١", max_size=24)


def parts(text: str) -> list[tuple[int, ...]]:
    """A second implementation, which no database could sort by: texts and numbers in turn."""
    found = re.findall("[0-9]+|[^0-9]", text)
    return [
        (ord("0"), int(part), len(part)) if re.fullmatch("[0-9]+", part) else (ord(part),)
        for part in found
    ]


@given(IDS, IDS)
def test_the_order_of_keys_is_the_natural_order(first, second):
    assert (natural_key(first) < natural_key(second)) == (parts(first) < parts(second))


@given(IDS, IDS)
def test_different_ids_have_different_keys(first, second):
    assert (natural_key(first) == natural_key(second)) == (first == second)


@given(st.text(alphabet="0a1", max_size=240))
def test_a_key_fits_its_column(text):
    assert len(natural_key(text)) <= 2 * len(text) + 1


def test_q2_comes_before_q10():
    names = ["q10", "q9_result", "q2", "q9_method", "q100", "p3", "q02", "10", "9"]

    assert sorted(names, key=natural_key) == [
        *("9", "10", "p3", "q2", "q02", "q9_method", "q9_result", "q10", "q100")
    ]


@pytest.mark.parametrize("length", [8, 9, 10, 99, 100, 200])
def test_numbers_of_any_length_are_in_order(length):
    below, above = "9" * length, f"1{'0' * length}"

    assert natural_key(below) < natural_key(above)


@pytest.mark.django_db
def test_imported_and_saved_rows_have_their_keys(tmp_path: Path):
    collection = a_collection()
    file = tmp_path / "documents.jsonl"
    file.write_text('{"docno": "d10", "title": "T", "sentences": ["S."], "labels": ["method"]}\n')

    import_documents(collection=collection, path=file, work=DirectRun())
    DocumentFactory(collection=collection, docno="d9")
    add_queries(collection=collection, docno="d10", facet_keys=["method"])

    keys = collection.documents.order_by("docno_order").values_list("docno", "docno_order")
    assert list(keys) == [("d9", natural_key("d9")), ("d10", natural_key("d10"))]
    assert collection.queries.get().name_order == natural_key("d10_method")


@pytest.mark.django_db
def test_the_database_compares_keys_by_code_point():
    collection = a_collection()
    for docno in ("a", "B", "_", "é", "Z"):
        DocumentFactory(collection=collection, docno=docno)

    docnos = collection.documents.order_by("docno_order").values_list("docno", flat=True)

    assert list(docnos) == sorted(docnos, key=natural_key) == ["B", "Z", "_", "a", "é"]
