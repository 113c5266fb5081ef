"""Pools for a choice of query papers: another n for some of them, as CSFCube's deep queries."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from corpus.services import create_query
from corpus.topics.queries import add_query_list
from jobs.services import run
from pooling.models import Pool
from tests.support.factories import DocumentFactory, a_collection
from tests.support.pooling_scenes import a_listed_run

pytestmark = pytest.mark.django_db

DEEP = [f"q{number:02}" for number in range(8)]
USUAL = [f"q{number:02}" for number in range(8, 50)]
RUNS = ["one", "two"]
CITED = 2


@pytest.fixture
def papers():
    """50 query papers that cite two documents each, and two runs of 80 documents without overlap.

    q00 has a query by sentences, too.
    """
    collection = a_collection()
    DocumentFactory.create_batch(162, collection=collection)
    docnos = list(collection.documents.order_by("docno").values_list("docno", flat=True))
    for docno in [*DEEP, *USUAL]:
        DocumentFactory(collection=collection, docno=docno, references=docnos[:CITED])
    add_query_list(
        collection=collection, text="\n".join(f"{docno} method" for docno in [*DEEP, *USUAL])
    )
    create_query(collection=collection, docno="q00", facet_key="method", sentences=(1, 2))
    for name, part in zip(RUNS, (docnos[2:82], docnos[82:]), strict=True):
        a_listed_run(collection, name, dict.fromkeys([*DEEP, *USUAL], part))
    return collection


def sizes(collection) -> dict[str, int]:
    pools = Pool.objects.filter(query_paper__collection=collection)
    return dict(pools.values_list("query_paper__name", "size"))


def test_eight_papers_get_33_of_each_run_and_the_others_12_in_one_collection(papers, tmp_path):
    usual = tmp_path / "usual.txt"
    usual.write_text("\n".join(USUAL))

    call_command(
        "build_pools",
        "small",
        "--queries",
        "q00_method-2",
        *DEEP,
        n=33,
        run=RUNS,
        mode="sequential",
    )
    call_command("build_pools", "small", "--queries", str(usual), n=12, run=RUNS)

    deep, others = CITED + 33 * len(RUNS), CITED + 12 * len(RUNS)
    assert sizes(papers) == {**dict.fromkeys(DEEP, deep), **dict.fromkeys(USUAL, others)}
    builds = [build.manifest["parameters"] for build in papers.pool_builds.order_by("pk")]
    assert builds == [{"n": 33}, {"n": 12}]
    with pytest.raises(CommandError, match="q99 is not a query paper without a frozen pool"):
        call_command("build_pools", "small", "--queries", "q99", n=3, run=RUNS)


@pytest.mark.one_database
def test_the_page_and_the_api_take_ids_of_queries(papers, client):
    client.force_login(papers.memberships.get(role="admin").user)
    form = {"scope": "some", "papers": "q00_method-2\nq00\nq01_method", "runs": RUNS, "depth": 80}
    plan = {"strategy": "interleaved", "interleaved-n": 3, "cited": "forced"}

    page = client.post(reverse("build-pools", args=["small"]), {**form, **plan})
    job = papers.jobs.get()
    run(job.pk)
    answer = client.post(
        reverse("api-pools", args=["small"]),
        {"n": 5, "runs": RUNS, "query_papers": ["q01", "q02_method"]},
        content_type="application/json",
    )
    run(answer.json()["id"])

    assert (page.status_code, answer.status_code) == (302, 202)
    assert job.parameters["query_papers"] == ["q00", "q01"]
    assert sizes(papers) == {"q00": 2 + 6, "q01": 2 + 10, "q02": 2 + 10}
