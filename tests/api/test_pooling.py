import io
from pathlib import Path

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.services import create_query
from jobs import services
from jobs.models import Job, State
from pooling.models import Pool
from tests.support.api_world import RANK, RETRIEVER, SCORE
from tests.support.factories import DocumentFactory, a_collection, a_query

WHERE = "/api/v1/collections/small/"


def run_file(world, name: str = "mine.run") -> SimpleUploadedFile:
    docno = world.slots()[0].pair.candidate.document.docno
    return SimpleUploadedFile(name, f"{world.paper} Q0 {docno} 1 9.5 tag\n".encode())


def test_it_lists_runs(world, admin):
    [run] = admin.get(f"{WHERE}runs/").json()["results"]

    assert (run["name"], run["kind"], run["lists"]) == (RETRIEVER, "file", 1)
    assert admin.get(f"{WHERE}runs/{RETRIEVER}/").json() == run


def test_a_run_comes_as_a_trec_file(world, admin):
    response = admin.get(f"{WHERE}runs/{RETRIEVER}.txt")

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    content = b"".join(response.streaming_content)
    assert [line.split()[3:] for line in content.decode().splitlines()] == [
        [str(rank), f"{4.0 - rank}", "run"] for rank in (1, 2, 3)
    ]


def test_an_uploaded_run_is_imported(world, admin):
    response = admin.post(
        f"{WHERE}runs/", {"file": run_file(world), "name": "mine"}, format="multipart"
    )

    assert response.status_code == 202
    services.run(Job.objects.get(pk=response.json()["id"]).pk)
    [ranking] = world.collection.runs.get(name="mine").rankings.all()
    assert ranking.scores == [9.5]


def test_another_file_under_the_same_name_is_refused_while_the_first_is_read(
    world, admin, settings
):
    for expected in (202, 409):
        body = {"file": run_file(world), "name": "mine"}
        response = admin.post(f"{WHERE}runs/", body, format="multipart")
        assert response.status_code == expected
    assert response.json()["code"] == "busy"
    assert len([path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("name", ["bm25_title", "cited", "a b", ""])
def test_a_run_of_an_impossible_name_is_refused_and_not_kept(name, world, admin, settings):
    body = {"file": run_file(world), "name": name}

    assert admin.post(f"{WHERE}runs/", body, format="multipart").status_code == 400
    assert not [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]


def test_uploaded_judgments_become_known_positives(world, admin):
    docno = world.slots()[0].pair.candidate.document.docno
    file = SimpleUploadedFile("a.qrels", f"{world.paper} 0 {docno} 2\n".encode())
    body = {"file": file, "name": "known", "qrels": True}

    response = admin.post(f"{WHERE}runs/", body, format="multipart")

    services.run(Job.objects.get(pk=response.json()["id"]).pk)
    [ranking] = world.collection.runs.get(name="known").rankings.all()
    assert (ranking.docnos, ranking.scores) == ([docno], [2.0])


def vectors(world) -> dict:
    docnos = [world.paper, world.slots()[0].pair.candidate.document.docno]
    matrix = io.BytesIO()
    np.save(matrix, np.array([[1, 0], [1, 1]], np.float32))
    return {
        "vectors": SimpleUploadedFile("v.npy", matrix.getvalue()),
        "docnos": SimpleUploadedFile("d.txt", "\n".join(docnos).encode()),
        "name": "near",
    }


def test_uploaded_vectors_become_a_run(world, admin, settings):
    body = {**vectors(world), "metric": "l2", "depth": 5}

    response = admin.post(f"{WHERE}embeddings/", body, format="multipart")

    assert response.status_code == 202
    services.run(Job.objects.get(pk=response.json()["id"]).pk)
    run = world.collection.runs.get(name="near")
    assert (run.kind, run.depth, run.parameters["metric"]) == ("embeddings", 5, "l2")
    assert run.rankings.get().scores == [-1.0]
    assert not [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]


def test_vectors_under_a_name_that_is_being_imported_are_refused(world, admin):
    admin.post(f"{WHERE}runs/", {"file": run_file(world), "name": "near"}, format="multipart")

    response = admin.post(f"{WHERE}embeddings/", vectors(world), format="multipart")

    assert (response.status_code, response.json()["code"]) == (409, "busy")
    assert "mine.run is being imported as near" in response.json()["detail"]


@pytest.mark.parametrize(
    "wrong", [{"name": "cited"}, {"metric": "dot"}, {"depth": 0}, {"docnos": "text"}]
)
def test_vectors_asked_for_wrongly_are_refused_and_not_kept(wrong, world, admin, settings):
    body = {**vectors(world), **wrong}

    assert admin.post(f"{WHERE}embeddings/", body, format="multipart").status_code == 400
    assert not [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]


def test_a_built_in_retriever_ranks(world, admin):
    body = {"retriever": "bm25_title", "depth": 20}

    response = admin.post(f"{WHERE}runs/", body, format="json")

    assert response.status_code == 202
    job = Job.objects.get(pk=response.json()["id"])
    assert (job.kind, job.parameters) == ("retrieve", {"name": "bm25_title", "depth": 20})
    again = admin.post(f"{WHERE}runs/", body, format="json").json()
    assert again["id"] == str(job.pk)
    other = admin.post(f"{WHERE}runs/", body | {"depth": 21}, format="json")
    assert (other.status_code, other.json()["code"]) == (409, "busy")


def test_a_built_in_retriever_ranks_with_an_analysis(world, admin):
    body = {"retriever": "bm25_title", "analysis": "english_stem"}
    admin.post(f"{WHERE}runs/", body, format="json")

    assert Job.objects.get(kind="retrieve").parameters["name"] == "bm25_title.english_stem"


def test_an_unknown_analysis_is_refused(world, admin):
    body = {"retriever": "bm25_title", "analysis": "klingon"}
    response = admin.post(f"{WHERE}runs/", body, format="json")

    assert response.status_code == 400
    assert response.json()["fields"] == {"analysis": ['"klingon" is not a valid choice.']}


def test_an_unknown_retriever_is_refused(world, admin):
    response = admin.post(f"{WHERE}runs/", {"retriever": "oracle"}, format="json")

    assert (response.status_code, response.json()["code"]) == (400, "retrieval_error")


def test_it_lists_pools(world, admin):
    [pool] = admin.get(f"{WHERE}pools/").json()["results"]

    assert (pool["docno"], pool["size"]) == (world.paper, 3)
    assert pool["frozen_at"] is not None


def test_one_pool_tells_where_every_candidate_comes_from(world, admin):
    pool = admin.get(f"{WHERE}pools/{world.paper}/").json()

    assert [candidate["position"] for candidate in pool["candidates"]] == [1, 2, 3]
    assert pool["candidates"][0]["contributions"] == [
        {"source": RETRIEVER, "rank": 1, "score": 9.0, "drawn": True},
        {"source": "also-secret", "rank": RANK, "score": SCORE, "drawn": False},
    ]
    assert pool["manifest"] == {"mode": "interleaved", "n": 3}


def test_pools_are_built_as_planned(world, admin):
    world.collection.jobs.all().delete()
    query = a_query(world.collection)
    body = {"n": 2, "runs": ["bm25_title"], "forced": [], "depth": 10}

    response = admin.post(f"{WHERE}pools/", body, format="json")

    assert response.status_code == 202
    job = Job.objects.get(pk=response.json()["id"])
    services.run(job.pk)  # asks for the run first
    services.run(world.collection.jobs.get(kind="retrieve").pk)
    services.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (State.SUCCEEDED, "")
    pool = Pool.objects.get(query_paper=query.query_paper)
    assert pool.build.manifest["parameters"] == {"n": 2}


def test_pools_of_another_plan_are_not_taken_for_those_asked_for(world, admin):
    world.collection.jobs.all().delete()
    first = admin.post(f"{WHERE}pools/", {"n": 2}, format="json")
    same = admin.post(f"{WHERE}pools/", {"n": 2}, format="json")
    other = admin.post(f"{WHERE}pools/", {"n": 3}, format="json")

    assert first.json()["id"] == same.json()["id"]
    assert (other.status_code, other.json()["code"]) == (409, "busy")


def test_some_query_papers_are_built_or_those_without_a_pool(world, admin):
    """The pool of `a_query` is a draft, and that of the world's query is frozen."""
    jobs = world.collection.jobs
    jobs.all().delete()
    draft = a_query(world.collection).query_paper.name

    def sent(**fields):
        body = {"n": 2, "runs": ["bm25_title"], **fields}
        return admin.post(f"{WHERE}pools/", body, format="json")

    named = sent(query_papers=[draft, draft])
    assert (named.status_code, jobs.get().parameters["query_papers"]) == (202, [draft])
    assert sent(query_papers=[draft]).json()["id"] == named.json()["id"]
    assert sent().status_code == 409
    jobs.all().delete()
    for fields in (
        {"query_papers": [world.paper]},
        {"query_papers": [draft], "without_pool": True},
        {"without_pool": True},
    ):
        assert sent(**fields).status_code == 400
    paper = DocumentFactory(collection=world.collection)
    create_query(collection=world.collection, docno=paper.docno, facet_key="method")
    assert sent(without_pool=True).status_code == 202
    assert jobs.get().parameters["without_pool"] is True


def test_a_strategy_is_asked_for_with_its_parameters(world, admin):
    world.collection.jobs.all().delete()
    body = {"strategy": "rrf", "parameters": {"size": 7}, "runs": ["bm25_title"]}

    response = admin.post(f"{WHERE}pools/", body, format="json")

    assert response.status_code == 202
    parameters = Job.objects.get(pk=response.json()["id"]).parameters
    assert (parameters["strategy"], parameters["parameters"]) == (
        "rrf",
        {"size": 7, "depth": 500, "k": 60.0},
    )


def test_known_positives_and_requirements_are_asked_for(world, admin):
    world.collection.jobs.all().delete()
    body = {"n": 2, "excluded": ["cited", "gold"], "only": ["not_later"], "runs": ["bm25_title"]}

    response = admin.post(f"{WHERE}pools/", body, format="json")

    assert response.status_code == 202
    parameters = Job.objects.get(pk=response.json()["id"]).parameters
    assert (parameters["forced"], parameters["excluded"]) == ([], ["cited", "gold"])
    assert parameters["only"] == ["not_later"]


@pytest.mark.parametrize(
    ("fields", "forced"),
    [
        ({}, ["cited"]),
        ({"excluded": [RETRIEVER]}, ["cited"]),
        ({"excluded": ["cited"]}, []),
        ({"forced": []}, []),
        ({"forced": [RETRIEVER]}, [RETRIEVER]),
    ],
)
def test_cited_papers_are_forced_where_nothing_else_is_said(fields, forced, world, admin):
    world.collection.jobs.all().delete()

    response = admin.post(f"{WHERE}pools/", {"n": 2, **fields}, format="json")

    assert Job.objects.get(pk=response.json()["id"]).parameters["forced"] == forced


def test_an_encoder_is_asked_for_only_where_the_server_allows_it(world, admin, settings):
    for where, body in (
        ("runs/", {"retriever": "encoder:/etc"}),
        ("pools/", {"n": 1, "runs": ["encoder:/etc"]}),
    ):
        answer = admin.post(f"{WHERE}{where}", body, format="json")
        assert answer.status_code == 400
        assert "ENCODERS" in answer.text

    settings.ENCODERS = ["/models/one"]
    body = {"retriever": "encoder:/models/one?pooling=cls"}
    assert admin.post(f"{WHERE}runs/", body, format="json").status_code == 202


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"n": 1, "forced": ["cited"], "excluded": ["cited"]},
        {"n": 1, "excluded": ["bm25_title"]},
        {"n": 1, "excluded": ["gold"], "runs": ["gold"]},
        {"n": 1, "only": ["nearby"]},
        {"n": 0},
        {"n": 5, "depth": 4},
        {"n": 1, "mode": "magic"},
        {"n": 1, "strategy": "rrf"},
        {"strategy": "rrf", "mode": "sequential"},
        {"strategy": "magic"},
        {"strategy": "rrf", "parameters": {"magic": 1}},
        {"strategy": "rrf", "parameters": {"size": 0}},
    ],
)
def test_a_plan_that_cannot_be_is_refused(body, world, admin):
    before = world.collection.jobs.count()

    assert admin.post(f"{WHERE}pools/", body, format="json").status_code == 400
    assert world.collection.jobs.count() == before


# Manifests


def test_buildings_of_pools_are_listed_with_their_manifests(world, admin):
    [line] = admin.get(f"{WHERE}pool-builds/").json()["results"]

    assert (line["id"], line["pools"]) == (world.build.pk, 1)
    response = admin.get(f"{WHERE}pool-builds/{line['id']}/manifest.json")
    assert (response.status_code, response.json()) == (200, world.build.manifest)


def test_the_manifest_of_another_collection_is_not_found(world, admin):
    other = a_query(a_collection("elsewhere")).query_paper.pool.build

    response = admin.get(f"{WHERE}pool-builds/{other.pk}/manifest.json")

    assert response.status_code == 404
