import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from jobs import services
from jobs.models import Job, State
from tests.support.factories import DocumentFactory

WHERE = "/api/v1/collections/small/"


def jsonl(*documents: dict) -> SimpleUploadedFile:
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    return SimpleUploadedFile("papers.jsonl", lines.encode())


def test_it_lists_documents_by_docno(world, admin):
    answer = admin.get(f"{WHERE}documents/").json()

    docnos = [line["docno"] for line in answer["results"]]
    assert docnos == sorted(docnos)
    assert answer["count"] == world.collection.documents.count() == len(docnos)
    assert answer["results"][0] == {
        "docno": "10.1/small",
        "title": "Title of 10.1/small",
        "year": 1987,
        "venue": "Secret Venue",
    }


def test_pages_follow_one_another(world, admin):
    first = admin.get(f"{WHERE}documents/?page_size=3").json()
    second = admin.get(first["next"]).json()

    assert len(first["results"]) == 3
    assert [*first["results"], *second["results"]] == admin.get(f"{WHERE}documents/").json()[
        "results"
    ]
    assert second["next"] is None


def test_a_page_that_is_not_there_is_not_found(world, admin):
    assert admin.get(f"{WHERE}documents/?page=99").json()["code"] == "not_found"


def test_one_document_has_its_text_and_metadata(world, admin):
    answer = admin.get(f"{WHERE}documents/10.1/small/").json()

    assert answer["sentences"][0] == "Background of 10.1/small."
    assert answer["labels"] == ["background", "method", "result"]
    assert answer["authors"] == ["Hidden Author"]
    assert len(answer["digest"]) == 64


def test_an_uploaded_file_becomes_documents(world, admin):
    files = [
        jsonl({"docno": docno, "title": "New", "abstract": "We do. We say."})
        for docno in ("n1", "n2")
    ]

    response = admin.post(f"{WHERE}documents/", {"file": files}, format="multipart")

    assert response.status_code == 202
    job = Job.objects.get(pk=response.json()["id"])
    assert response["Location"] == f"{WHERE}jobs/{job.pk}/"
    services.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (State.SUCCEEDED, "")
    assert world.collection.documents.get(docno="n1").sentences == ["We do.", "We say."]
    assert world.collection.documents.filter(docno="n2").exists()


def test_an_upload_can_be_sampled(world, admin):
    values = {"sample_size": "9", "query_papers": "a\nb", "sample_seed": "2"}
    response = admin.post(
        f"{WHERE}documents/", {"file": jsonl({"docno": "a"}), **values}, format="multipart"
    )
    sub_corpus = {"size": 9, "query_papers": ["a", "b"], "seed": "2"}
    assert Job.objects.get(pk=response.json()["id"]).parameters["sub_corpus"] == sub_corpus

    wrong = {"file": jsonl({"docno": "a"}), "sample_size": "9"}
    response = admin.post(f"{WHERE}documents/", wrong, format="multipart")
    assert (response.status_code, [*response.json()["fields"]]) == (400, ["query_papers"])


def test_a_second_file_is_refused_while_the_first_is_imported(world, admin):
    admin.post(f"{WHERE}documents/", {"file": jsonl({"docno": "a"})}, format="multipart")

    response = admin.post(f"{WHERE}documents/", {"file": jsonl({"docno": "b"})}, format="multipart")

    assert (response.status_code, response.json()["code"]) == (409, "import_under_way")


@pytest.mark.parametrize("body", [{}, {"file": "text"}, {"file": SimpleUploadedFile("x", b"")}])
def test_an_upload_without_a_file_is_refused(body, world, admin):
    response = admin.post(f"{WHERE}documents/", body, format="multipart")

    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["file"]


def test_it_makes_a_document_a_query(world, admin):
    DocumentFactory(collection=world.collection, docno="q9")

    response = admin.post(f"{WHERE}queries/", {"docno": "q9", "facet": "result"}, format="json")

    assert response.status_code == 201
    answer = {"name": "q9_result", "docno": "q9", "facet": "result", "sentences": None}
    assert response.json() == answer
    assert world.collection.queries.filter(name="q9_result").exists()


def test_it_makes_a_query_of_some_sentences(world, admin):
    DocumentFactory(collection=world.collection, docno="q9")
    query = {"docno": "q9", "facet": "result", "sentences": [2, 1]}

    made = admin.post(f"{WHERE}queries/", query, format="json").json()
    refused = admin.post(f"{WHERE}queries/", {**query, "sentences": [4]}, format="json")

    assert made == {**query, "name": "q9_result-2", "sentences": [1, 2]}
    assert refused.status_code == 400
    assert "q9 has no sentence 4; its sentences are 1 to 3" in refused.json()["detail"]
    assert made in admin.get(f"{WHERE}queries/").json()["results"]


@pytest.mark.parametrize("asked", [("none", "method"), ("10.1/small", "none")])
def test_a_query_of_what_is_not_there_is_refused(asked, world, admin):
    body = dict(zip(("docno", "facet"), asked, strict=True))

    response = admin.post(f"{WHERE}queries/", body, format="json")

    assert (response.status_code, response.json()["code"]) == (400, "corpus_error")


def test_the_filename_never_leads_out_of_the_upload_folder(world, admin, settings):
    file = SimpleUploadedFile("../../escaped.jsonl", b"{}\n")

    admin.post(f"{WHERE}documents/", {"file": file}, format="multipart")

    kept = [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]
    assert len(kept) == 1
    assert not list(Path(settings.UPLOAD_DIR).parent.glob("escaped*"))


def topics(content: bytes = b"<top><num>7<title>Ranking</top>") -> SimpleUploadedFile:
    return SimpleUploadedFile("topics.txt", content)


def test_topics_become_queries(world, admin):
    body = {"file": topics(), "facet": "method", "topic_prefix": "t"}

    response = admin.post(f"{WHERE}topics/", body, format="multipart")

    assert response.status_code == 202
    job = Job.objects.get(pk=response.json()["id"])
    services.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (State.SUCCEEDED, "")
    assert world.collection.queries.filter(name="t7_method").exists()


def test_more_topics_are_refused_while_some_are_imported(world, admin):
    for expected in (202, 409):
        body = {"file": topics(), "facet": "method"}
        response = admin.post(f"{WHERE}topics/", body, format="multipart")
        assert response.status_code == expected
    assert response.json()["code"] == "import_under_way"


@pytest.mark.parametrize(
    "wrong", [{"facet": "taste"}, {"topic_prefix": "a b"}, {"file": topics(b"")}, {"facet": ""}]
)
def test_topics_asked_for_wrongly_are_refused_and_not_kept(wrong, world, admin, settings):
    body = {"file": topics(), "facet": "method", **wrong}

    assert admin.post(f"{WHERE}topics/", body, format="multipart").status_code == 400
    assert not [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]
