"""Files of ranked lists, judgments and vectors, sent through the browser."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from corpus.services import create_query
from jobs.models import Job, State
from jobs.services import run
from retrieval.models import Run
from retrieval.run_names import name_from
from tests.support.factories import DocumentFactory, a_collection
from tests.support.uploading import done, kept
from tests.support.visits import csv_rows
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

RUN = b"q1 Q0 d1 1 2.0 mine\nq1 Q0 d2 2 1.0 mine\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 3\nq1 0 d3 0\n"
DOCNOS = b"q1\nd1\nd2\nd3\nstrange\n"
VECTORS = np.array([[1, 0], [1, 1], [2, 0.1], [-1, 0], [1, 0]], np.float32)


@once_a_file
def collection():
    collection = a_collection()
    for docno in ("q1", "d1", "d2", "d3"):
        DocumentFactory(collection=collection, docno=docno)
    create_query(collection=collection, docno="q1", facet_key="method")
    return collection


def npy(rows=VECTORS):
    stream = io.BytesIO()
    np.save(stream, rows)
    return stream.getvalue()


def file(content, name):
    return SimpleUploadedFile(name, content)


def send_run(admin, content=RUN, filename="mine.run", **more):
    sent = {"file": file(content, filename), **more}
    return admin.post(reverse("import-run", args=["small"]), sent)


def send_vectors(admin, vectors=None, docnos=DOCNOS, filename="v.npy", **more):
    content = npy() if vectors is None else vectors
    sent = {"vectors": file(content, filename), "docnos": file(docnos, "d.txt")}
    return admin.post(reverse("import-embeddings", args=["small"]), {**sent, **more})


def ranking(name):
    [found] = Run.objects.get(name=name).rankings.all()
    return list(zip(found.docnos, found.scores, strict=True))


# Ranked lists and judgments


def test_a_run_file_is_kept_until_its_job_has_read_it(collection, admin):
    send_run(admin, filename="my run.trec")

    job = Job.objects.get()
    assert (job.parameters["name"], job.parameters["filename"]) == ("my-run", "my run.trec")
    assert [path.read_bytes() for path in kept()] == [RUN]
    assert (done().state, kept()) == (State.SUCCEEDED, [])
    assert ranking("my-run") == [("d1", 2.0), ("d2", 1.0)]


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("bm25.txt", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.trec.txt.gz", "bm25"),
        ("my run.TREC", "my-run"),
        ("bm25.k1=0.9.tsv", "bm25.k1=0.9"),
        ("specter.v2", "specter.v2"),
        (".txt", ".txt"),
    ],
)
def test_the_default_name_drops_every_known_ending(filename, name):
    assert name_from(filename) == name


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_judgments_become_a_run_of_known_positives(collection, admin, pack):
    send_run(admin, pack(QRELS), "test.qrels", holds="qrels", name="known")

    assert done().state == State.SUCCEEDED
    assert ranking("known") == [("d2", 3.0), ("d1", 1.0)]
    assert Run.objects.get().parameters == {"file": "test.qrels", "qrels": True}


def test_each_of_several_files_becomes_a_run_or_none_does(collection, admin):
    short = RUN.replace(b"q1", b"1").replace(b" d", b" ")

    def send(*names, **more):
        sent = {"file": [file(short, f"{name}.run") for name in names], **more}
        sent |= {"docno_prefix": "d", "topic_prefix": "q"}
        return admin.post(reverse("import-run", args=["small"]), sent)

    page = send("a", "b", "a")
    assert (page.status_code, Job.objects.count(), kept()) == (422, 0, [])
    assert "Two files would become the run a. Rename one of them." in page.text
    assert "Leave it empty" in send("a", "b", name="mine").text

    send("b")
    page = send("a", "b")
    assert (page.status_code, Job.objects.count(), len(kept())) == (422, 1, 1)
    assert "b.run is being imported as b, so nothing was uploaded" in page.text

    assert done().state == State.SUCCEEDED
    send("a", "b")
    for job in Job.objects.filter(state=State.QUEUED):
        run(job.pk)
    assert ranking("a") == ranking("b") == [("d1", 2.0), ("d2", 1.0)]
    assert kept() == []


def test_the_page_says_what_a_run_was_made_from(collection, admin):
    send_run(admin, QRELS, "test.qrels", holds="qrels", name="known")
    done()
    send_vectors(admin)
    done()

    page = admin.get(reverse("runs", args=["small"])).text

    assert "the judgments test.qrels" in page
    assert "the vectors v.npy" in page


def test_judgments_taken_for_a_ranked_list_are_named(collection, admin):
    send_run(admin, QRELS, "test.qrels", holds="run", name="known")

    job = done()
    assert job.state == State.FAILED
    assert "This looks like TREC qrels" in job.error
    assert job.error in admin.get(reverse("runs", args=["small"])).text.replace("&#x27;", "'")
    assert not Run.objects.exists()


def test_the_same_file_twice_leaves_one_run_as_it_was(collection, admin):
    send_run(admin)
    done()
    first = Run.objects.get()
    send_run(admin)

    assert done().state == State.SUCCEEDED
    again = Run.objects.get()
    assert (again.pk, again.sha256) == (first.pk, first.sha256)


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ({"name": "fine"}, "Choose a file."),
        ({"file": b"", "name": "fine"}, "This file is empty."),
        ({"file": b"x", "name": "two words"}, "without spaces"),
        ({"file": b"x", "name": "bm25_title"}, "built-in source"),
        ({"file": b"x", "name": "fine", "holds": "magic"}, "magic"),
    ],
)
def test_a_wrong_import_says_why_and_keeps_what_was_typed(collection, admin, sent, what):
    if "file" in sent:
        sent = {**sent, "file": file(sent["file"], "a.run")}

    page = admin.post(reverse("import-run", args=["small"]), sent)

    assert page.status_code == 422
    assert what in page.text
    assert f'value="{sent["name"]}"' in page.text
    assert not Job.objects.exists()
    assert not kept()


@pytest.mark.parametrize("send", [send_run, send_vectors])
def test_a_name_that_is_being_imported_is_busy_for_every_file(collection, admin, send):
    send_run(admin, filename="first.run", name="mine")

    page = send(admin, name="mine")

    assert page.status_code == 422
    assert "first.run is being imported as mine, so nothing" in page.text
    assert 'value="mine"' in page.text
    assert Job.objects.count() == 1
    assert [path.read_bytes() for path in kept()] == [RUN]


def test_a_name_of_sixty_letters_is_imported(collection, admin):
    name = "n" * 60

    send_run(admin, name=name)

    assert done().state == State.SUCCEEDED
    assert Run.objects.get().name == name


# Vectors


def test_vectors_become_a_run_and_both_files_go(collection, admin):
    assert send_vectors(admin).status_code == 302

    job = Job.objects.get()
    assert (job.kind, job.parameters["name"], len(kept())) == ("import_embeddings", "v", 2)
    assert done().state == State.SUCCEEDED
    assert [docno for docno, _ in ranking("v")] == ["d2", "d1", "d3"]
    made = Run.objects.get()
    assert made.parameters == {
        "vectors": "v.npy",
        "docnos": "d.txt",
        "metric": "cosine",
        "dimensions": 2,
    }
    assert made.report["vectors_outside_corpus"] == 1
    assert not kept()


def test_metric_and_depth_can_be_chosen(collection, admin):
    send_vectors(admin, docnos=gzip.compress(DOCNOS), metric="l2", depth="2", name="near")

    assert done().state == State.SUCCEEDED
    assert [docno for docno, _ in ranking("near")] == ["d1", "d2"]
    assert Run.objects.get().parameters["metric"] == "l2"


@pytest.mark.parametrize(
    ("vectors", "docnos", "message"),
    [
        (b"no matrix", DOCNOS, "v.npy: not a .npy file of numbers"),
        (npy(VECTORS[:, 0]), DOCNOS, "v.npy: its shape is (5,); it must be documents × numbers"),
        (npy(VECTORS.astype(int)), DOCNOS, "v.npy: its type is int64; save it as float32"),
        (npy()[:-3], DOCNOS, "v.npy: 4 complete rows, but its header says 5"),
        (npy(), DOCNOS[:-8], "d.txt: 4 docnos for the 5 rows of v.npy; write one per line"),
        (npy(VECTORS * [[1], [1], [1], [np.nan], [1]]), DOCNOS, "v.npy, row 4: a number is"),
        (npy(), b"a\nb\nc\nd\ne\n", "v.npy has no usable vector for any query paper"),
        (npy(), b"q1\nd1\nd1\nd3\nd4\n", "d.txt, row 3: d1 is already in row 2"),
        (npy(), b"\xff\xfe\n" * 5, "d.txt: not UTF-8"),
        (
            npy(),
            gzip.compress(DOCNOS, mtime=0)[:-5],
            "d.txt: the gzip data are damaged or cut short",
        ),
        (npy(), b"x" * 100_000, "d.txt, row 1: 'xxxx"),
    ],
)
def test_wrong_files_fail_in_words_and_keep_nothing(collection, admin, vectors, docnos, message):
    send_vectors(admin, vectors, docnos)

    job = done()
    assert job.state == State.FAILED
    assert job.error.startswith(message)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ({"docnos": b"x"}, "Choose a .npy file."),
        ({"vectors": b"x"}, "Choose the file with the docnos of the rows."),
        ({"vectors": b"", "docnos": b"x"}, "Save the matrix with numpy.save"),
        ({"vectors": b"x", "docnos": b""}, "Write the docno of every row"),
        ({"vectors": b"x", "docnos": b"x", "metric": "dot"}, "dot"),
        ({"vectors": b"x", "docnos": b"x", "depth": "0"}, "greater than or equal to 1"),
        ({"vectors": b"x", "docnos": b"x", "name": "cited"}, "built-in source"),
    ],
)
def test_a_wrong_form_of_vectors_says_why(collection, admin, sent, what):
    sent = {
        name: file(value, f"{name}.x") if isinstance(value, bytes) else value
        for name, value in {"name": "fine", **sent}.items()
    }

    page = admin.post(reverse("import-embeddings", args=["small"]), sent)

    assert page.status_code == 422
    assert what in page.text
    assert f'value="{sent["name"]}"' in page.text
    assert not Job.objects.exists()
    assert not kept()


def test_the_page_names_the_command_for_large_files(collection, admin):
    page = " ".join(admin.get(reverse("add-run", args=["small"])).text.split())

    assert "python manage.py import_embeddings small VECTORS.npy DOCNOS.txt --name NAME" in page


def test_no_two_fields_of_the_page_share_an_id(collection, admin):
    page = admin.get(reverse("add-run", args=["small"])).text

    for field_id in ("id_name", "vectors_name"):
        assert page.count(f'id="{field_id}"') == 1


def test_runs_are_filtered_by_kind_and_downloaded_in_natural_order(collection, admin):
    for name, kind in (("r10", "bm25"), ("r2", "bm25"), ("mine", "file")):
        Run.objects.create(
            collection=collection, name=name, kind=kind, sha256="0" * 64, report={"duplicates": 3}
        )
    page = reverse("runs", args=[collection.slug])

    def lines(**asked):
        answer = admin.get(page, {**asked, "format": "csv"})
        return csv_rows(answer)

    assert [line["run"] for line in lines()] == ["mine", "r2", "r10"]
    assert [line["run"] for line in lines(kind="built-in", q="R1")] == ["r10"]
    assert lines(kind="imported")[0]["skipped"] == "3 listed twice"
    assert "No run matches." in admin.get(page, {"q": "nothing"}).text
