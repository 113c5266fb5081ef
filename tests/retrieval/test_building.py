"""Building runs: what is ranked for what, what a rebuild replaces, and what pools protect."""

from __future__ import annotations

import pytest

from jobs import work
from jobs.models import Job, State
from jobs.work import run_now, start_job
from pooling.models import Candidate, Contribution, Pool, PoolSet
from retrieval.building import delete_run
from retrieval.citations import cited_docnos
from retrieval.lists import best_first, ranked_lists
from retrieval.models import RankedList, Run
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(collection, papers):
    return [builders.query(collection, papers[0]), builders.query(collection, papers[1], "result")]


def build(collection, *names):
    return run_now("build_runs", collection=collection, names=list(names or ["bm25", "tfidf"]))


def pool_with(run, query, document):
    """A draft pool with a document of the run."""
    pool = Pool.objects.create(pool_set=PoolSet.objects.create(collection=run.collection, plan={}), query=query)
    candidate = Candidate.objects.create(pool=pool, document=document, position=1, source=run.name)
    Contribution.objects.create(candidate=candidate, run=run, rank=1, score=1.0, drawn=True)


def test_each_query_gets_a_list_without_its_own_paper(collection, papers, asked):
    assert build(collection) == {"runs": ["bm25", "tfidf"]}
    for run in Run.objects.all():
        for query in asked:
            docnos = run.lists.get(query=query).docnos
            assert len(docnos) == len(papers) - 1
            assert query.own_docno not in docnos


def test_a_query_is_searched_by_its_own_sentences(collection, papers, asked):
    """ "How d00 works." finds nothing else of d00, so all others tie; "d01" occurs once more."""
    builders.document(collection, "z", sentences=["Another way, d00."], labels=["method"])
    build(collection, "bm25")
    assert RankedList.objects.get(query=asked[0]).docnos[0] == "z"
    assert RankedList.objects.get(query=asked[1]).docnos[0] != "z"


def test_a_document_with_only_a_title_is_found_by_it(collection, papers, asked):
    builders.document(collection, "bare", title="How it works", sentences=[], labels=[])
    build(collection)
    for each in RankedList.objects.filter(query=asked[0]):
        assert each.docnos[0] == "bare"


def test_documents_without_a_title_are_named_where_titles_are_searched(collection, papers, asked):
    papers[3].title = ""
    papers[3].save()
    build(collection, "bm25", "bm25-title")
    assert Run.objects.get(name="bm25").skipped == {}
    by_title = Run.objects.get(name="bm25-title")
    assert by_title.skipped == {"documents without a title": {"number": 1, "named": []}}
    assert "d03" not in by_title.lists.get(query=asked[0]).docnos


def test_a_corpus_without_titles_is_refused_by_title_and_served_by_text(collection, papers, asked):
    collection.documents.update(title="")
    build(collection)
    with pytest.raises(BadInput, match="no document has a title"):
        build(collection, "tfidf-title")


def test_nothing_is_built_without_queries_or_by_unknown_retrievers(collection, papers):
    with pytest.raises(BadInput, match="no queries"):
        build(collection)
    builders.query(collection, papers[0])
    with pytest.raises(BadInput, match="elephant"):
        build(collection, "bm25", "elephant")
    assert not Run.objects.exists()


def test_a_rebuild_replaces_the_run_and_takes_in_new_queries(collection, papers, asked):
    build(collection, "bm25")
    first = Run.objects.get()
    builders.query(collection, papers[2])
    assert Run.objects.with_sizes().get().ranked_queries == 2
    build(collection, "bm25")
    second = Run.objects.with_sizes().get()
    assert (second.ranked_queries, second.mean_length) == (3, 11)
    assert second.pk != first.pk


def test_a_run_that_a_pool_uses_keeps_its_lists_and_gets_those_it_lacks(collection, papers, asked):
    build(collection, "bm25")
    run = Run.objects.get()
    pool_with(run, asked[0], papers[5])
    before = list(run.lists.order_by("pk").values("pk", "docnos", "scores"))
    with pytest.raises(Conflict, match="Pools were drawn from bm25"):
        build(collection, "bm25")
    builders.document(collection, "new")
    added = builders.query(collection, papers[2])
    build(collection, "bm25")
    assert list(run.lists.exclude(query=added).order_by("pk").values("pk", "docnos", "scores")) == before
    assert "new" in run.lists.get(query=added).docnos


def test_a_run_is_deleted_unless_a_pool_uses_it(collection, papers, asked):
    build(collection)
    pooled, free = Run.objects.get(name="bm25"), Run.objects.get(name="tfidf")
    pool_with(pooled, asked[0], papers[5])
    delete_run(run=free)
    with pytest.raises(Conflict, match="Pools were drawn from bm25"):
        delete_run(run=pooled)
    assert Run.objects.get() == pooled


def test_a_cancelled_build_leaves_everything_as_it_was(collection, papers, asked):
    waiting = start_job("build_runs", collection=collection, by=None, names=["bm25"])
    Job.objects.update(cancel_requested=True)
    work.run(waiting.pk)
    assert Job.objects.get().state == State.CANCELLED
    assert not Run.objects.exists()


def test_pools_read_lists_by_the_name_of_their_run(collection, papers, asked):
    build(collection)
    runs = list(Run.objects.order_by("name"))
    RankedList.objects.filter(run__name="tfidf", query=asked[1]).delete()
    assert list(ranked_lists(asked[0], runs)) == ["bm25", "tfidf"]
    assert list(ranked_lists(asked[1], runs)) == ["bm25"]
    assert ranked_lists(asked[0], runs[:1])["bm25"].docnos == runs[0].lists.get(query=asked[0]).docnos


def test_scores_that_are_equal_as_float32_are_ordered_by_docno_descending():
    docnos, scores = best_first(["b", "c", "a", "é", "d10", "d9"], [2.0, 2.0000000001, 3.0, -1.0, 2.0, 2.0])
    assert docnos == ["a", "d9", "d10", "c", "b", "é"]
    assert scores[3] == 2.0000000001


def test_cited_papers_come_in_the_order_of_the_paper_each_once(collection, papers):
    paper = builders.document(collection, "citing", cites=["d07", "elsewhere", "d02", "citing", "d07", "d11"])
    assert cited_docnos(builders.query(collection, paper)) == ["d07", "d02", "d11"]
    assert cited_docnos(builders.topic(collection, "7", "Harbour dues")) == []
