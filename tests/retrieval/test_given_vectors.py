"""Runs from vectors that were computed elsewhere: how they rank, and what a file cannot do."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from numpy.lib import format as npy

from jobs.models import Job
from jobs.work import run_now
from retrieval import given_vectors
from retrieval.models import VECTORS, Run
from tests import builders
from web.errors import BadInput

pytestmark = pytest.mark.django_db
DOCNOS = [f"d{number:02}" for number in range(12)]


@pytest.fixture
def admin(as_):
    return as_("admin")


@pytest.fixture
def query(collection, papers):
    return builders.query(collection, papers[0])


def saved(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def with_header(text, numbers=b"", version=(1, 0)):
    """A file whose header says what it likes."""
    length = len(text).to_bytes(2 if version == (1, 0) else 4, "little")
    return npy.magic(*version) + length + text.encode("latin-1") + numbers


def post(client, collection, content, ids, **fields):
    files = {"vectors": SimpleUploadedFile("v.npy", content), "ids": SimpleUploadedFile("ids.txt", ids.encode())}
    url = reverse("add-vectors", args=[collection.slug])
    return client.post(url, files | {"name": "specter", "compare": "cosine"} | fields)


def rank(client, collection, array, ids, **fields):
    """The run, as a worker makes it of the uploaded files."""
    answer = post(client, collection, saved(array), "\n".join(ids) + "\n", **fields)
    assert answer.status_code == 302, answer.text
    job = Job.objects.latest("created_at")
    run_now(job.kind, collection=collection, **job.parameters)
    return Run.objects.get(name=job.parameters["name"])


def by_numpy(array, compare):
    one, others = array[0].astype(float), array[1:].astype(float)
    if compare == "distance":
        return -np.linalg.norm(others - one, axis=1)
    products = others @ one
    return products if compare == "product" else products / np.linalg.norm(others, axis=1) / np.linalg.norm(one)


@pytest.mark.parametrize("compare", given_vectors.COMPARE)
@pytest.mark.parametrize("kind", ["<f2", ">f4", "<f8"])
def test_documents_are_ranked_as_by_numpy(admin, collection, query, compare, kind, monkeypatch):
    monkeypatch.setattr(given_vectors, "TOGETHER", 15)  # three rows at once
    array = np.random.default_rng(1).normal(size=(12, 5)).astype(kind)
    run = rank(admin, collection, array, DOCNOS, compare=compare)
    ranked = run.lists.get(query=query)
    expected = dict(zip(DOCNOS[1:], by_numpy(array, compare), strict=True))
    assert ranked.docnos == sorted(expected, key=expected.get, reverse=True)
    assert ranked.scores == pytest.approx([expected[docno] for docno in ranked.docnos], rel=1e-5, abs=1e-6)
    assert (run.kind, run.settings["file"], run.settings["documents"]) == (VECTORS, "v.npy", 12)
    assert admin.get(reverse("run", args=[collection.slug, run.pk])).status_code == 200


def test_a_query_has_its_own_vector_or_that_of_its_paper(admin, collection, query, papers):
    other = builders.query(collection, papers[0], "result")
    array = np.eye(14)[:, :13]
    array[12] = array[5]
    run = rank(admin, collection, array[:13], [*DOCNOS, other.name], compare="distance")
    assert run.lists.get(query=other).docnos[0] == "d05"
    assert run.lists.get(query=query).docnos[:2] == ["d11", "d10"]  # all as far from their paper's
    assert other.name not in run.lists.get(query=query).docnos


def test_ids_outside_the_corpus_are_counted_and_vectors_of_zeros_have_no_cosine(admin, collection, query):
    array = np.ones((5, 2))
    array[2] = 0
    run = rank(admin, collection, array, ["d00", "d01", "d02", "gone", "d04"])
    assert run.skipped == {"ids outside the corpus": {"number": 1, "named": ["gone"]}}
    assert run.lists.get().docnos == ["d04", "d01"]
    with pytest.raises(BadInput, match="nothing can be compared"):
        rank(admin, collection, np.zeros((3, 2)), ["d00", "d01", "d02"], name="zeros")


class Evil:
    def __reduce__(self):
        return print, ("unpickled",)


HEADER = "{'descr': %r, 'fortran_order': False, 'shape': %s}\n"
TWO = "d00\nd01\n"


@pytest.mark.parametrize(
    ("content", "ids", "said"),
    [
        (b"PK\x03\x04", TWO, "no NumPy file"),
        (b"", TWO, "empty"),
        (pickle.dumps(Evil()), TWO, "no NumPy file"),
        (saved(np.array([[Evil()], [Evil()]], object), allow_pickle=True), TWO, "object"),
        (saved(np.zeros((2, 2), int)), TWO, "int64"),
        (saved(np.zeros((2, 2), complex)), TWO, "complex128"),
        (saved(np.zeros((2, 2), np.longdouble)), TWO, "float128"),
        (saved(np.zeros(2, [("a", "f4")])), TWO, "holds"),
        (saved(np.zeros(2)), TWO, "one row for each document"),
        (saved(np.zeros((2, 0))), TWO, "one row for each document"),
        (saved(np.asfortranarray(np.ones((2, 3)))), TWO, "C order"),
        (saved(np.ones((2, 3)))[:-1], TWO, "not the size"),
        (saved(np.ones((2, 3))) + b"1", TWO, "not the size"),
        (with_header(HEADER % ("<f8", "(10**9, 10**9)")), TWO, "no NumPy file"),
        (with_header(HEADER % ("<f8", "(1000000000000, 1000000000)")), TWO, "not the size"),
        (with_header(HEADER % ("<f8", "(-2, -3)"), bytes(48)), TWO, "one row for each document"),
        (with_header("(" * 9000), TWO, "no NumPy file"),
        (with_header("[" * 60_000), TWO, "no NumPy file"),
        (with_header(" " * 50_000 + HEADER % ("<f8", "(2, 1)"), bytes(16), version=(2, 0)), TWO, "no NumPy file"),
        (npy.magic(2, 0) + b"\xff\xff\xff\xff{}", TWO, "no NumPy file"),
        (saved(np.ones((2, 3))), "d00\n", "2 rows for 1 id."),
        (saved(np.ones((2, 3))), "d00\nd00\n", "in line 1 already"),
        (saved(np.ones((2, 3))), "d00\n\n", "an id of 1 to 200"),
        (saved(np.ones((2, 3))), "d00\n" + "d" * 201, "an id of 1 to 200"),
    ],
)
def test_a_file_that_is_no_matrix_with_ids_is_explained_in_the_form(
    admin, collection, query, content, ids, said, capsys
):
    answer = post(admin, collection, content, ids)
    assert answer.status_code == 200
    assert said in answer.text
    assert not Job.objects.exists()
    assert "unpickled" not in capsys.readouterr().out


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
def test_a_number_that_is_not_finite_is_named_by_its_row(admin, collection, query, number):
    array = np.ones((12, 3))
    array[7, 1] = number
    with pytest.raises(BadInput, match=r"v\.npy: row 8 has a number that is not finite"):
        rank(admin, collection, array, DOCNOS)
    assert not Run.objects.exists()


def test_ids_of_another_collection_are_refused(admin, collection, query):
    with pytest.raises(BadInput, match="None of the ids is a document of Papers"):
        rank(admin, collection, np.ones((2, 2)), ["a", "b"])
    with pytest.raises(BadInput, match="None of the ids is a query"):
        rank(admin, collection, np.ones((2, 2)), ["d01", "d02"])


@pytest.mark.parametrize("name", ["bm25", "cited", "two words", "mine"])
def test_a_name_that_is_taken_is_refused_before_the_files_are_kept(admin, collection, query, name):
    builders.run(collection, "mine", {})
    assert post(admin, collection, saved(np.ones((2, 2))), TWO, name=name).status_code == 200
    assert not Job.objects.exists()
