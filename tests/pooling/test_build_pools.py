from pathlib import Path

import pytest
from django.db import IntegrityError

from corpus.services import create_query
from jobs.context import DirectRun
from pooling.models import Candidate, Contribution, Pool, PoolBuild
from pooling.services import PoolingError, PoolPlan, build_pools, freeze_pools
from retrieval.errors import RetrievalError
from retrieval.services import import_run, remove_run
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

TOPICS = ("parsing of sentences", "spam in mail", "citation of papers")


@once_a_file
def collection():
    """Thirty documents on three topics; d000 is a query paper that cites d003 and d006."""
    made = a_collection()
    for number in range(30):
        topic = TOPICS[number % 3]
        DocumentFactory(
            collection=made,
            docno=f"d{number:03}",
            title=f"{topic} part {number}",
            sentences=[f"We study {topic}.", f"The method is {number}.", f"It works for {topic}."],
            references=["d003", "d006", "elsewhere"] if number == 0 else [],
        )
    create_query(collection=made, docno="d000", facet_key="method")
    return made


def build(collection, **changes) -> PoolBuild:
    plan = PoolPlan.take(**{"n": 2, **changes})
    return build_pools(collection=collection, plan=plan, work=DirectRun())


def test_every_retriever_contributes_n_after_the_forced_ones(collection):
    build(collection)

    pool = Pool.objects.get()
    drawers = list(
        Contribution.objects.filter(candidate__pool=pool, drawn=True)
        .order_by("candidate__position")
        .values_list("source", flat=True)
    )
    assert drawers[:2] == ["cited", "cited"]
    assert sorted(drawers[2:]) == sorted(
        ["bm25_abstract", "bm25_title", "tfidf_abstract", "tfidf_title"] * 2
    )
    assert pool.shortfall == {}


def test_every_source_of_a_candidate_is_kept_with_rank_and_score(collection):
    build(collection)

    cited = Candidate.objects.get(document__docno="d003")
    sources = {contribution.source: contribution for contribution in cited.contributions.all()}
    assert sources["cited"].drawn
    assert sources["cited"].rank is None
    assert sources["bm25_title"].rank >= 1
    assert sources["bm25_title"].score > 0
    assert not sources["bm25_title"].drawn


def test_the_query_paper_is_never_in_its_pool(collection):
    build(collection, n=20)

    assert not Candidate.objects.filter(document__docno="d000").exists()


def test_a_shortfall_is_recorded(collection):
    build(collection, n=25)

    pool = Pool.objects.get()
    assert sum(pool.shortfall.values()) == 4 * 25 + 2 - pool.candidates.count()


def test_the_same_seed_gives_the_same_pools(collection):
    first, second = build(collection), build(collection)

    assert first.manifest["pools"] == second.manifest["pools"]
    assert first.manifest["runs"] == second.manifest["runs"]


def test_another_seed_gives_another_order(collection):
    orders = set()
    for seed in "abcdef":
        build(collection, seed=seed)
        orders.add(tuple(Pool.objects.get().retriever_order))
    assert len(orders) > 1


def test_a_draft_is_replaced_and_a_frozen_pool_stays(collection):
    build(collection)
    draft = Pool.objects.get()
    build(collection)
    assert not Pool.objects.filter(pk=draft.pk).exists()

    freeze_pools(collection=collection)
    with pytest.raises(PoolingError, match="every pool is frozen"):
        build(collection)


def test_the_database_keeps_a_frozen_pool_as_it_is(collection):
    build(collection)
    freeze_pools(collection=collection)

    with pytest.raises(IntegrityError, match="candidate_of_frozen_pool"):
        Candidate.objects.update(excluded="changed my mind")


def test_a_run_of_another_engine_is_pooled_under_its_name(collection, tmp_path):
    path = tmp_path / "specter.run"
    path.write_text("d000 Q0 d011 1 3.5 x\nd000 Q0 d007 2 3.25 x\nd000 Q0 d000 3 3 x\n")
    run = import_run(
        collection=collection, path=path, filename=path.name, name="specter", work=DirectRun()
    )
    build(collection, runs=("specter",), forced=())

    assert run.report["query_papers_themselves"] == 1
    assert list(
        Candidate.objects.order_by("position").values_list("document__docno", flat=True)
    ) == ["d011", "d007"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("d000 Q0 d001 1 x tag\n", "my.run:1: the score must be a finite number, got 'x'"),
        ("d000 Q0 zzz 1 1 tag\n", "another corpus"),
        ("zzz Q0 d001 1 1 tag\n", "none of its topics"),
        ("d000 Q0 d001 1 1 t\nd000_method Q0 d001 1 1 t\n", "which is of the query paper d000"),
        ("", "my.run: no lines"),
    ],
)
def test_a_wrong_run_is_refused_with_the_place(collection, tmp_path, lines, message):
    path: Path = tmp_path / "my.run"
    path.write_text(lines)

    with pytest.raises(RetrievalError, match=message):
        import_run(
            collection=collection, path=path, filename="my.run", name="mine", work=DirectRun()
        )
    assert not collection.runs.exists()


def test_a_run_of_frozen_pools_cannot_be_removed(collection):
    build(collection)
    freeze_pools(collection=collection)

    with pytest.raises(RetrievalError, match="Frozen pools were drawn from"):
        remove_run(run=collection.runs.first())


def test_a_document_without_text_is_excluded_with_the_reason(collection):
    collection.documents.filter(docno="d003").update(sentences=[], labels=[])
    build(collection)

    assert Candidate.objects.get(document__docno="d003").excluded == "no-text"


def test_pools_without_queries_are_refused_in_words():
    with pytest.raises(PoolingError, match="There are no queries yet"):
        build(a_collection())
