"""Runs from vectors computed elsewhere: what is ranked, left out, counted and refused."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from corpus.services import create_query
from jobs.context import DirectRun
from retrieval.errors import RetrievalError
from retrieval.services import import_embeddings
from tests.support.factories import DocumentFactory, a_collection, a_topic
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    collection = a_collection()
    for number in range(6):
        DocumentFactory(collection=collection, docno=f"d{number}")
    for docno in ("d0", "d1"):
        create_query(collection=collection, docno=docno, facet_key="method")
    return collection


# d0 and d3 point the same way, then d2 and d4 (tied), then d1; zzz is nowhere in the corpus.
DOCNOS = ["d0", "d1", "d2", "d3", "d4", "zzz", "d5"]
ROWS = [[1, 0], [-1, 0], [1, 1], [3, 0], [2, 2], [1, 0], [0, 0]]


@pytest.fixture
def files(tmp_path):
    def write(rows=ROWS, docnos=DOCNOS, dtype=np.float32):
        np.save(tmp_path / "v.npy", np.array(rows, dtype))
        (tmp_path / "d.txt").write_text("".join(f"{docno}\n" for docno in docnos))
        return tmp_path / "v.npy", tmp_path / "d.txt"

    return write


def imported(collection, files, **options):
    vectors, docnos = files
    return import_embeddings(
        collection=collection,
        vectors=vectors,
        docnos=docnos,
        **{"name": "specter", "work": DirectRun(), **options},
    )


def lists(run):
    return {
        ranking.query_paper.name: list(zip(ranking.docnos, ranking.scores, strict=True))
        for ranking in run.rankings.all()
    }


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_query_papers_are_ranked_by_cosine(collection, files, dtype):
    run = imported(collection, files(dtype=dtype))
    half, minus = pytest.approx(0.5**0.5), pytest.approx(-(0.5**0.5))
    assert lists(run) == {
        "d0": [("d3", 1.0), ("d4", half), ("d2", half), ("d1", -1.0)],
        "d1": [("d4", minus), ("d2", minus), ("d3", -1.0), ("d0", -1.0)],
    }


def test_query_papers_are_ranked_by_distance(collection, files):
    run = imported(collection, files(), metric="l2", depth=3)
    assert lists(run)["d0"] == [
        ("d5", -1.0),
        ("d2", -1.0),
        ("d3", -2.0),
    ]
    assert run.parameters == {
        "vectors": "v.npy",
        "docnos": "d.txt",
        "metric": "l2",
        "dimensions": 2,
    }
    assert (run.kind, run.depth) == ("embeddings", 3)


def test_what_is_left_out_is_counted(collection, files):
    create_query(collection=collection, docno="d5", facet_key="method")
    report = imported(collection, files()).report
    assert report["vectors"] == 7
    assert report["vectors_outside_corpus"] == 1
    assert report["vectors_of_zeros"] == 1
    assert (report["lists"], report["documents"]) == (2, 8)
    assert report["query_papers_without_vector"] == 1
    assert report["query_papers_without_vector_examples"] == ["d5"]


def test_a_topic_s_vector_is_asked_and_never_found(collection, files):
    a_topic(collection)

    run = imported(collection, files([*ROWS, [1, 0.1]], [*DOCNOS, "t1"]))

    assert [docno for docno, _ in lists(run)["t1"]] == ["d3", "d0", "d4", "d2", "d1"]
    assert "t1" not in [docno for docno, _ in lists(run)["d0"]]
    assert (run.report["vectors_outside_corpus"], run.report["lists"]) == (1, 3)


def test_the_order_of_the_rows_changes_nothing(collection, files):
    first = imported(collection, files())
    order = [5, 3, 6, 0, 4, 2, 1]
    again = imported(collection, files([ROWS[n] for n in order], [DOCNOS[n] for n in order]))
    assert (again.pk, again.sha256) == (first.pk, first.sha256)


@pytest.mark.parametrize(
    ("rows", "docnos", "message"),
    [
        (ROWS[:3], DOCNOS, r"d\.txt: 7 docnos for the 3 rows of v\.npy"),
        (ROWS, [*DOCNOS[:-1], "d2"], r"d\.txt, row 7: d2 is already in row 3"),
        (ROWS, [*DOCNOS[:2], "", *DOCNOS[3:]], r"d\.txt, row 3: no docno"),
        ([*ROWS[:4], [np.nan, 1], *ROWS[5:]], DOCNOS, r"v\.npy, row 5: .*not finite"),
        ([1, 2], DOCNOS, r"v\.npy: its shape is \(2,\)"),
        (ROWS[2:4], ["x", "y"], "any query paper of small .*d0.* this corpus"),
    ],
)
def test_wrong_files_are_refused_with_file_and_row(collection, files, rows, docnos, message):
    with pytest.raises(RetrievalError, match=message):
        imported(collection, files(rows, docnos))
    assert not collection.runs.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "bm25_title"}, "name of a built-in source"),
        ({"name": "cbow_abstract"}, "name of a built-in source"),
        ({"name": "a b"}, "is not a valid name"),
        ({"name": "n" * 61}, "at most 60 characters"),
        ({"metric": "dot"}, "Use cosine or l2"),
        ({"depth": 0}, "Depth must be at least 1, got 0"),
    ],
)
def test_wrong_options_are_refused_in_words(collection, files, options, message):
    with pytest.raises(RetrievalError, match=message):
        imported(collection, files(), **options)


def test_docnos_in_another_encoding_are_refused(collection, files):
    vectors, docnos = files()
    docnos.write_bytes(b"caf\xe9\n" * 7)
    with pytest.raises(RetrievalError, match=r"d\.txt: not UTF-8"):
        imported(collection, (vectors, docnos))


def test_the_command_imports_and_says_what_it_left_out(collection, files, capsys):
    vectors, docnos = map(str, files())
    call_command("import_embeddings", "small", vectors, docnos, "--name", "specter", "--depth", "2")
    output = capsys.readouterr().out
    assert "specter: 2 lists, 4 documents; of 7 vectors 1 are outside the corpus" in output
    assert [len(ranking) for ranking in lists(collection.runs.get()).values()] == [2, 2]


def test_the_command_says_which_file_is_not_there(collection, files):
    _, docnos = map(str, files())
    with pytest.raises(CommandError, match=r"absent\.npy: cannot be read"):
        call_command("import_embeddings", "small", "absent.npy", docnos, "--name", "specter")
