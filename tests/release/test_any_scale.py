"""Collections without facets, with own facets, and with other scales, from creation to scores."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from ir_measures import calc_aggregate, nDCG, read_trec_qrels, read_trec_run

from accounts.models import Collection, Role, User
from accounts.services import add_membership
from adjudication.models import Case
from agreement.services import AgreementReport
from annotation.models import Slot
from annotation.services import BadAnswer, open_queries
from corpus.models import Query
from jobs.context import DirectRun
from pooling.services import PoolPlan, build_pools
from release.models import Release
from release.services import publish_release
from reports.services import compute_report
from retrieval.services.runs import import_run
from tests.support.factories import DocumentFactory, UserFactory, annotators
from tests.support.release_scenes import judge_all
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import carried, judge, pair_url

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PAPERS = ["q1", "q2"]
DOCNOS = [f"d{number}" for number in range(1, 7)]
OWN_FACETS = {
    "facet-0-key": "purpose",
    "facet-0-name": "Purpose",
    "facet-0-labels": "purpose, background",
    "facet-1-key": "mechanism",
}
PLAN = PoolPlan(runs=("mine",), parameters={"n": 6}, depth=6)
of_each_scale = {
    "params": [("none", 1), ("none", 4), ("own", 4), ("csfcube", 3)],
    "ids": lambda made: f"{made[0]}-{made[1]}",
}


def made_on_the_page(facets: str, highest_grade: int) -> Collection:
    """With documents and queries."""
    client = Client()
    client.force_login(UserFactory(username="admin", is_staff=True))
    fields = {
        "name": "Any",
        "slug": "any",
        "licence": "CC0-1.0",
        "facets": facets,
        **OWN_FACETS,
        "highest_grade": highest_grade,
    }
    assert client.post(reverse("new-collection"), fields).status_code == 302
    collection = Collection.objects.get(slug="any")
    for username, role in (("ann1", "annotator"), ("ann2", "annotator"), ("adju", "adjudicator")):
        person = UserFactory(username=username)
        add_membership(collection=collection, user=person, role=Role(role))
    keys = list(collection.facets.values_list("key", flat=True))
    labels = [label for facet in collection.facets.all() for label in facet.labels]
    for docno in [*PAPERS, *DOCNOS]:
        DocumentFactory(
            collection=collection,
            docno=docno,
            sentences=[f"Sentence {place} of {docno}." for place in range(len(labels) or 2)],
            labels=labels,
        )
    for docno in PAPERS:
        added = client.post(reverse("add-query", args=["any"]), {"docno": docno, "facet": keys})
        assert added.status_code == 302, added.text
    return collection


# Made elsewhere, with query papers for topics. It ranks d1 first and d6 last.
RUN = "".join(
    f"{paper} Q0 {docno} {rank} {1 / rank} mine\n"
    for paper in PAPERS
    for rank, docno in enumerate(DOCNOS, start=1)
)


def pooled(collection: Collection, folder: Path) -> Collection:
    """With pools drawn from the imported run."""
    path = folder / "mine.run"
    path.write_text(RUN)
    import_run(collection=collection, path=path, filename="mine.run", name="mine", work=DirectRun())
    build_pools(collection=collection, plan=PLAN, work=DirectRun())
    return collection


@pytest.fixture(**of_each_scale)
def collection(request, db, tmp_path) -> Collection:
    return pooled(made_on_the_page(*request.param), tmp_path)


@pytest.fixture(scope="module", **of_each_scale)
def made(request, made_once, tmp_path_factory):
    with made_once(lambda: publish(request.param, tmp_path_factory.mktemp("run"))) as made:
        yield made


@pytest.fixture
def released(made, own_copy) -> Release:
    return own_copy(made)


def publish(scale: tuple[str, int], folder: Path) -> Release:
    collection = pooled(made_on_the_page(*scale), folder)
    judge_everything(collection)
    compute_report(AgreementReport("exclude"), collection=collection)
    return publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)


def judge_everything(collection: Collection) -> None:
    """d1 gets the highest grade, the next ones lower ones; the judges differ on d2 and no other."""
    queries = list(collection.queries.all())
    open_queries(queries=queries, annotators=annotators(collection), opened_by=None)
    grades = {}
    for query in queries:
        for place, docno in enumerate(DOCNOS):
            grade = max(collection.highest_grade - place, 0)
            grades[query.name, docno] = (grade, grade + (place == 1))
    judge_all(collection, grades)


def settle_all(collection: Collection, client) -> None:
    client.force_login(User.objects.get(username="adju"))
    for case in Case.objects.due().filter(query__collection=collection):
        slot = Slot.objects.get(pair=case, number=1)
        page = client.get(pair_url(slot, "case"))
        answer = {**carried(page.text), "answer": str(collection.highest_grade)}
        assert client.post(pair_url(slot, "case"), answer).status_code == 302


def archive_of(release: Release, client) -> zipfile.ZipFile:
    client.force_login(User.objects.get(username="admin"))
    answer = client.get(reverse("release-download", args=["any", release.version]))
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))


def score(qrels: str, run: str) -> float:
    """nDCG@5."""
    measured = calc_aggregate(
        [nDCG @ 5],
        list(read_trec_qrels(io.StringIO(qrels))),
        list(read_trec_run(io.StringIO(run))),
    )
    return float(measured[nDCG @ 5])


def query_ids(text: str) -> set[str]:
    return {line.split()[0] for line in text.splitlines()}


def test_runs_of_the_zip_and_of_the_page_score_with_the_qrels_as_they_are(released, client):
    collection = released.collection
    archive = archive_of(released, client)
    names = archive.namelist()
    has_facets = collection.facets.exclude(key="").exists()
    address = reverse("run-file", args=["any", "mine"])
    ids = {"ids": "queries"} if has_facets else {}
    runs = {
        "of the zip": archive.read(f"{'trec/' * has_facets}runs/mine.txt").decode(),
        "of the page": b"".join(client.get(address, ids).streaming_content).decode(),
    }

    for place, run in runs.items():
        for name in names:
            if name.startswith("trec/qrels."):
                assert query_ids(archive.read(name).decode()) <= query_ids(run), (place, name)
    assert runs["of the zip"] == runs["of the page"]
    for run in runs.values():
        for name in names:
            if name.startswith("trec/qrels."):
                assert score(archive.read(name).decode(), run) > 0.9


def test_the_map_joins_the_run_by_paper_with_the_qrels(released, client):
    collection = released.collection
    archive = archive_of(released, client)
    by_paper = archive.read("runs/mine.txt").decode()
    qrels = archive.read("trec/qrels.all.txt").decode()

    assert query_ids(by_paper) == set(PAPERS)
    if collection.facets.filter(key="").exists():
        assert query_ids(qrels) == set(PAPERS)
        assert not {"trec/queries.tsv", "trec/runs/mine.txt"} & set(archive.namelist())
        return
    header, *rows = (
        line.split("\t") for line in archive.read("trec/queries.tsv").decode().splitlines()
    )
    assert header == ["query", "query_paper", "facet"]
    assert {query for query, _, _ in rows} == query_ids(qrels)
    assert {paper for _, paper, _ in rows} == query_ids(by_paper)
    assert all(query == f"{paper}_{facet}" for query, paper, facet in rows)


def test_the_file_that_was_imported_scores_as_it_is_or_through_the_map(released, client):
    collection = released.collection
    archive = archive_of(released, client)
    run = RUN
    if collection.facets.exclude(key="").exists():
        _, *rows = archive.read("trec/queries.tsv").decode().splitlines()
        by_paper = [line.split(" ", 1) for line in run.splitlines()]
        run = "".join(
            f"{query} {rest}\n"
            for query, query_paper, _ in (row.split("\t") for row in rows)
            for paper, rest in by_paper
            if paper == query_paper
        )
    qrels = archive.read("trec/qrels.all.txt").decode()

    assert query_ids(qrels) == query_ids(run)
    assert score(qrels, run) > 0.9


def test_a_release_says_its_scale(released, client):
    collection = released.collection
    archive = archive_of(released, client)
    manifest = json.loads(archive.read("manifest.json"))
    readme = archive.read("README.md").decode()
    grades = [str(grade) for grade in collection.grades]

    assert manifest["collection"]["highest_grade"] == collection.highest_grade
    assert manifest["collection"]["relevant_from"] == collection.relevant_from
    for counts in manifest["counts"]["facets"].values():
        assert sorted(counts["labels_by_grade"]) == grades
    assert f"Grades go from 0 to {collection.highest_grade}." in readme
    assert all(len(text["grades"]) == len(grades) for text in manifest["guidelines"])
    assert all(f"- **{grade}** " in readme for grade in grades)
    no_facets = collection.facets.filter(key="").exists()
    assert ("| facet |" in readme) is not no_facets


def test_pages_show_the_collections_grades_and_no_facet_where_there_is_none(released, client):
    collection = released.collection
    client.force_login(User.objects.get(username="admin"))
    no_facets = collection.facets.filter(key="").exists()
    pages = [
        reverse(name, args=["any"])
        for name in (
            *("collection", "queries", "board", "agreement", "add-query"),
            *("guidelines", "collection-settings", "runs", "pools"),
        )
    ]
    pages.append(reverse("release", args=["any", "1.0"]))

    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        if no_facets:
            assert ">Facet<" not in answer.text, page
    matrices = client.get(reverse("agreement", args=["any"])).context["matrices"]
    assert {len(matrix.rows) for facet in matrices for matrix in facet.matrices} == {
        len(collection.grades)
    }


def test_the_judging_page_has_a_key_for_every_grade_and_no_other(collection, client):
    open_queries(
        queries=list(Query.objects.all()), annotators=annotators(collection), opened_by=None
    )
    client.force_login(User.objects.get(username="ann1"))
    slot = Slot.objects.filter(annotator__username="ann1").first()
    page = client.get(pair_url(slot))

    grades = [str(grade) for grade in collection.grades]
    assert [grade for grade in "0123456" if f'data-key="{grade}"' in page.text] == grades
    too_high = str(collection.highest_grade + 1)
    refused = client.post(pair_url(slot), {**carried(page.text), "answer": too_high})
    assert 400 <= refused.status_code < 500
    assert Slot.objects.get(pk=slot.pk).judgment is None
    with pytest.raises(BadAnswer, match=f"from 0 to {collection.highest_grade} or"):
        judge(slot, collection.highest_grade + 1)
    saved = client.post(pair_url(slot), {**carried(page.text), "answer": grades[-1]})
    assert saved.status_code == 302
    assert Slot.objects.get(pk=slot.pk).judgment.grade == collection.highest_grade


def test_the_adjudicator_overrules_with_the_highest_grade(released, client):
    collection = released.collection
    assert Case.objects.due().count() == collection.queries.count()

    settle_all(collection, client)

    assert not Case.objects.due().exists()
    assert "begins with" not in client.get(reverse("adjudicate", args=["any"])).text
