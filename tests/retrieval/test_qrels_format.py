"""Qrels as known positives: which documents are taken, and what is refused."""

import gzip
import io

import pytest

from jobs.context import DirectRun
from retrieval.formats import RunFormatError, read_qrels
from retrieval.services import import_run
from tests.support.factories import DocumentFactory, a_collection, a_query


def read(text: str, **options):
    return list(read_qrels(io.BytesIO(text.encode()), name="q.qrels", **options))


def test_documents_of_grade_one_and_more_are_taken_with_their_grade():
    assert read("t1 0 d1 2\nt1 0 d2 0\n\nt2 0 d1 1\nt2 0 d3 -1\n") == [
        ("t1", "d1", 2.0),
        ("t2", "d1", 1.0),
    ]


def test_the_least_grade_can_be_chosen():
    assert read("t1 0 d1 2\nt1 0 d2 1\n", min_grade=2) == [("t1", "d1", 2.0)]


def test_the_three_columns_of_beir_are_read_with_or_without_their_head():
    lines = "q1\td1\t1\nq1\td2\t0\n"

    assert read("query-id\tcorpus-id\tscore\n" + lines) == read(lines) == [("q1", "d1", 1.0)]


def test_gzip_is_read_the_same():
    packed = io.BytesIO(gzip.compress(b"t1 0 d1 2\n"))

    assert list(read_qrels(packed, name="x")) == [("t1", "d1", 2.0)]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", None, "no lines"),
        ("query-id\tcorpus-id\tscore\n", None, "no lines"),
        ("t1 0 d1 2\nt1 d1\n", 2, "(topic 0 docno grade), got 2"),
        ("t1 Q0 d1 1 0.5 tag\n", 1, "must have 4 columns (topic 0 docno grade), got 6"),
        ("t1 0 d1 0.5\n", 1, "a whole number, got '0.5'"),
        ("t1 0 d1 1_0\n", 1, "must be a whole number"),
    ],
)
def test_what_is_wrong_is_said(text, line, problem):
    with pytest.raises(RunFormatError) as caught:
        read(text)

    assert caught.value.line == line
    assert problem in caught.value.problem


@pytest.mark.django_db
def test_qrels_become_a_run_of_the_known_positives(tmp_path):
    collection = a_collection()
    query = a_query(collection, size=1)
    for docno in ("p1", "p2", "p3"):
        DocumentFactory(collection=collection, docno=docno)
    path = tmp_path / "test.tsv"
    path.write_text(
        "query-id\tcorpus-id\tscore\n"
        + "".join(
            f"{query.name}\t{docno}\t{grade}\n"
            for docno, grade in [("p1", 1), ("p2", 2), ("p3", 0), ("gone", 1)]
        )
    )

    run = import_run(
        collection=collection,
        path=path,
        filename="test.tsv",
        name="known",
        work=DirectRun(),
        qrels=True,
    )

    assert run.rankings.get().docnos == ["p2", "p1"]
    assert run.report["outside_corpus"] == 1
    assert run.parameters == {"file": "test.tsv", "qrels": True}
