"""A run's digest is the SHA-256 of its file."""

from __future__ import annotations

import hashlib

import pytest

from corpus.services import create_query
from jobs.context import DirectRun
from retrieval.models import Run
from retrieval.services import import_run, query_names_of, run_lines
from tests.pooling.test_pages import client_of
from tests.support.factories import DocumentFactory, a_collection
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
# In the order of their code points, which is not that of a dictionary or of a database's collation.
PAPERS = ("B", "Z", "a", "a-b", "z", "ä", "𝔄")


@once_a_file
def collection():
    collection = a_collection()
    for docno in ("d1", "d2", "d3", *PAPERS):
        DocumentFactory(collection=collection, docno=docno)
    for docno in PAPERS:
        create_query(collection=collection, docno=docno, facet_key="method")
    return collection


def imported(collection, tmp_path, lines, name="mine") -> Run:
    path = tmp_path / "a.run"
    path.write_text("".join(f"{line}\n" for line in lines))
    return import_run(
        collection=collection, path=path, filename="a.run", name=name, work=DirectRun()
    )


def sha256_of(run: Run) -> str:
    return hashlib.sha256("".join(run_lines(run)).encode()).hexdigest()


def test_a_run_s_digest_is_that_of_its_file(collection, tmp_path):
    lines = [f"{paper} Q0 d{place} 0 {place / 3} tag" for paper in PAPERS for place in (1, 2, 3)]

    run = imported(collection, tmp_path, lines)

    assert sha256_of(run) == run.sha256
    assert [line.split()[0] for line in run_lines(run)][::3] == sorted(PAPERS)


@pytest.mark.parametrize("score", ["1e22", "1e16", "-0.0", "1e-320", "0.1", "123456789012345678"])
def test_scores_that_databases_spell_differently_are_written_alike(collection, tmp_path, score):
    run = imported(collection, tmp_path, [f"a Q0 d1 0 {score} tag", "a Q0 d2 0 -5 tag"])

    assert sha256_of(Run.objects.get(pk=run.pk)) == run.sha256
    assert f" {float(score) + 0.0!r} run\n" in next(run_lines(run))


def test_such_scores_give_the_same_pool_on_every_database():
    collection = a_listed_collection()
    list_of = {"q1": ["d01", "d02", "d03"]}
    run = a_listed_run(collection, "up", list_of)
    run.rankings.update(scores=[1e22, 1e16, 12.0])

    build = built(collection, runs=("up",), forced=())

    content = '[["d01","up",1,1e+22,true,1],["d02","up",2,1e+16,true,2],["d03","up",3,12.0,true,3]]'
    facts = build.manifest["pools"]["query_papers"]["q1"]
    assert facts["sha256"] == hashlib.sha256(content.encode()).hexdigest()


def test_the_file_from_the_page_and_from_the_api_has_the_run_s_digest(collection, tmp_path):
    run = imported(collection, tmp_path, [f"{paper} Q0 d1 0 0.5 tag" for paper in PAPERS])
    page = client_of("admin").get("/c/small/runs/mine/file/")

    content = b"".join(page.streaming_content)

    assert hashlib.sha256(content).hexdigest() == run.sha256


def test_by_query_a_run_has_each_list_once_for_every_query_of_its_paper(collection, tmp_path):
    imported(collection, tmp_path, ["a Q0 d1 1 0.5 tag", "B Q0 d1 1 0.5 tag"])
    create_query(collection=collection, docno="a", facet_key="result")
    client = client_of("admin")

    page = client.get("/c/small/runs/mine/file/", {"ids": "queries"})
    api = client.get("/api/v1/collections/small/runs/mine.txt", {"ids": "queries"})

    content = b"".join(page.streaming_content).decode()
    assert [line.split()[0] for line in content.splitlines()] == [
        "B_method",
        "a_method",
        "a_result",
    ]
    assert {line.split()[-1] for line in content.splitlines()} == {"mine"}
    assert b"".join(api.streaming_content).decode() == content


def test_by_query_a_run_of_a_facet_has_the_queries_of_the_facet_only():
    collection = a_listed_collection()
    create_query(collection=collection, docno="q1", facet_key="result")
    fields = {"kind": "bm25_abstract", "parameters": {"facet": "result"}}
    run = a_listed_run(collection, "bm25_abstract@result", {"q1": ["d01"]}, **fields)

    lines = list(run_lines(run, query_names_of(run)))

    assert [line.split()[0] for line in lines] == ["q1_result"]


def test_the_same_lists_under_another_name_have_the_same_digest(collection, tmp_path):
    lines = ["a Q0 d1 0 0.5 tag"]

    assert (
        imported(collection, tmp_path, lines, name="other").sha256
        == imported(collection, tmp_path, lines).sha256
    )
