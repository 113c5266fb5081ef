"""Drafts of pools, freezing them, and drawing them again."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from corpus.digests import canonical_json
from corpus.ordering import shuffled
from jobs.work import run_now
from pooling.building import discard_draft, freeze_pools, start_building
from pooling.manifest import first_difference
from pooling.models import Candidate, Contribution, Pool, PoolSet
from retrieval.models import RankedList, Run
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db
PLAN = {
    "strategy": "interleaved",
    "n": 2,
    "sources": ["bm25", "tfidf"],
    "forced": ["cited"],
    "depths": {},
    "queries": [],
}


def build(collection, **changes):
    run_now("build_pools", collection=collection, plan=PLAN | changes)
    return collection.pool_sets.drafts().get()


def docnos(pool):
    return list(pool.candidates.values_list("document__docno", "source"))


@pytest.fixture
def frozen(collection, runs):
    return freeze_pools(collection=collection, pk=build(collection).pk)


def test_a_draft_has_each_querys_pool_and_who_ranks_each_document(collection, queries, runs):
    draft = build(collection)
    pool = draft.pools.get(query=queries[0])
    order = shuffled(["bm25", "tfidf"], seed="seed", purpose="retriever-order", query="d00")
    drawn = {"bm25": iter(["d02", "d03"]), "tfidf": iter(["d10", "d09"])}  # d11 and d05 are cited
    rounds = [(next(drawn[name]), name) for name in order * 2]
    assert pool.source_order == order
    assert docnos(pool) == [("d05", "cited"), ("d11", "cited"), *rounds]
    assert list(pool.candidates.values_list("position", flat=True)) == [1, 2, 3, 4, 5, 6]
    ranks = Contribution.objects.filter(candidate__pool=pool).values_list(
        "candidate__document__docno", "run__name", "rank", "score", "drawn"
    )
    assert {row for row in ranks if row[0] in ("d05", "d02")} == {
        ("d05", "bm25", 4, 7.0, False),
        ("d05", "tfidf", 7, 4.0, False),
        ("d02", "bm25", 1, 10.0, True),
        ("d02", "tfidf", 10, 1.0, False),
    }


def test_a_query_can_have_its_own_n_and_what_lacks_is_written_down(collection, queries, runs):
    draft = build(collection, n=1, depths={"d01_background": 3})
    assert draft.pools.get(query=queries[0]).candidates.count() == 2 + 2 * 1
    second = draft.pools.get(query=queries[1])
    assert second.shortfall == {"tfidf": 3 - sum(source == "tfidf" for _, source in docnos(second))}
    assert second.shortfall["tfidf"] > 0


def test_a_run_without_a_list_of_a_query_is_short_of_all(collection, queries, runs):
    RankedList.objects.filter(run__name="tfidf", query=queries[1]).delete()
    assert build(collection).pools.get(query=queries[1]).shortfall == {"tfidf": 2}


def test_two_facets_of_a_paper_have_one_order_of_sources_and_a_topic_has_its_own(collection, papers, runs):
    twin = builders.query(collection, papers[0], "result")
    topic = builders.topic(collection, "51", "Harbour dues")
    draft = build(collection)
    orders = dict(draft.pools.values_list("query__name", "source_order"))
    assert orders[twin.name] == orders["d00_method"]
    assert orders[topic.name] == shuffled(["bm25", "tfidf"], seed="seed", purpose="retriever-order", query="51")


def test_a_build_replaces_the_draft_and_is_the_same_for_the_same_plan(collection, runs):
    first = build(collection)
    pools = [docnos(pool) for pool in first.pools.order_by("query__name")]
    second = build(collection)
    assert [docnos(pool) for pool in second.pools.order_by("query__name")] == pools
    assert not PoolSet.objects.filter(pk=first.pk).exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"strategy": "borda"}, "borda"),
        ({"n": 0}, "at least 1, got 0"),
        ({"depths": {"d00_method": 0}}, "at least 1, got 0"),
        ({"depths": {"d99_method": 3}}, "no query 'd99_method'"),
        ({"queries": ["d99_method"]}, "no query 'd99_method'"),
        ({"sources": []}, "at least one run"),
        ({"sources": ["bm25", "specter"]}, "no run 'specter'"),
        ({"forced": ["qrels"]}, "'qrels'"),
        ({"sources": ["cited"]}, "cited is forced"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused_before_and_in_the_job(
    collection, runs, people, changes, sentence
):
    with pytest.raises(BadInput, match=sentence):
        start_building(collection=collection, plan=PLAN | changes, by=people.admin)
    assert not collection.jobs.exists()
    with pytest.raises(BadInput, match=sentence):
        build(collection, **changes)
    assert not PoolSet.objects.exists()


def test_a_document_that_left_the_corpus_is_named(collection, queries, runs, papers):
    papers[2].delete()
    with pytest.raises(Conflict, match="d02 is ranked for d00_method"):
        build(collection)


def test_frozen_pools_are_not_drawn_again_and_new_queries_join_the_round(collection, frozen, papers, runs):
    with pytest.raises(Conflict, match="No query"):
        build(collection)
    with pytest.raises(Conflict, match="d00_method has a frozen pool"):
        build(collection, queries=["d00_method"])
    new = builders.query(collection, papers[2])
    RankedList.objects.create(run=runs[0], query=new, docnos=["d03"], scores=[1.0])
    draft = build(collection)
    assert (draft.round, [pool.query for pool in draft.pools.all()]) == (1, [new])
    freeze_pools(collection=collection, pk=draft.pk)
    assert PoolSet.objects.frozen().count() == 2


def test_only_the_named_queries_are_pooled(collection, runs, queries):
    assert [pool.query for pool in build(collection, queries=["d01_background"]).pools.all()] == [queries[1]]


def test_the_manifest_is_written_when_the_pools_are_frozen(collection, runs):
    draft = build(collection)
    assert draft.manifest == {}
    manifest = freeze_pools(collection=collection, pk=draft.pk).manifest
    assert (manifest["seed"], manifest["strategy"], manifest["n"]) == ("seed", "interleaved", 2)
    assert sorted(manifest["runs"]) == ["bm25", "tfidf"]
    assert {name: pool["size"] for name, pool in manifest["pools"].items()} == {"d00_method": 6, "d01_background": 4}


def test_a_manifest_is_the_same_bytes_in_another_collection_of_the_same_inputs(collection, frozen, papers):
    other = builders.collection("other")
    for paper in papers:
        builders.document(other, paper.docno, cites=paper.cites)
    of = {name: other.documents.get(docno=name) for name in ("d00", "d01")}
    queries = [builders.query(other, of["d01"], "background"), builders.query(other, of["d00"])]
    for run in Run.objects.filter(collection=collection).order_by("-name"):
        lists = {query: run.lists.get(query__name=query.name).docnos for query in queries}
        builders.run(other, run.name, lists)
    manifest = freeze_pools(collection=other, pk=build(other).pk).manifest
    assert canonical_json(manifest) == canonical_json(frozen.manifest)


def test_a_draft_is_frozen_once(collection, runs):
    draft = build(collection)
    freeze_pools(collection=collection, pk=draft.pk)
    with pytest.raises(Conflict, match="meanwhile"):
        freeze_pools(collection=collection, pk=draft.pk)
    with pytest.raises(Conflict, match="meanwhile"):
        discard_draft(collection=collection, pk=draft.pk)


def test_a_draft_that_was_replaced_is_not_frozen(collection, runs):
    seen = build(collection)
    build(collection, n=3)
    with pytest.raises(Conflict, match="meanwhile"):
        freeze_pools(collection=collection, pk=seen.pk)
    assert not PoolSet.objects.frozen().exists()


def test_a_discarded_draft_is_gone(collection, runs):
    discard_draft(collection=collection, pk=build(collection).pk)
    assert not Pool.objects.exists()
    assert not Contribution.objects.exists()


def test_an_empty_pool_is_not_frozen(collection, papers, runs):
    builders.query(collection, papers[2])
    frozen = freeze_pools(collection=collection, pk=build(collection).pk)
    assert set(frozen.manifest["pools"]) == {"d00_method", "d01_background"}
    with pytest.raises(Conflict, match="nothing to freeze"):
        freeze_pools(collection=collection, pk=build(collection).pk)


def test_a_draft_of_a_query_that_was_frozen_meanwhile_is_refused(collection, runs, queries, papers):
    draft = build(collection)
    builders.frozen_pool(queries[0], papers[2:4])
    with pytest.raises(Conflict, match="d00_method has a frozen pool"):
        freeze_pools(collection=collection, pk=draft.pk)


@pytest.mark.parametrize("change", ["list", "citations", "seed"])
def test_a_draft_whose_inputs_changed_is_not_frozen(collection, runs, papers, change):
    draft = build(collection)
    if change == "list":
        RankedList.objects.filter(run=runs[0]).update(docnos=["d08", "d07", "d06"], scores=[3.0, 2.0, 1.0])
    elif change == "citations":
        papers[0].cites = ["d06"]
        papers[0].save()
    else:
        collection.seed = next(str(n) for n in range(99) if orders(str(n)) != orders("seed"))
        collection.save()
    with pytest.raises(Conflict, match="Build the pools again"):
        freeze_pools(collection=collection, pk=draft.pk)


def orders(seed):
    names = ["bm25", "tfidf"]
    return [shuffled(names, seed=seed, purpose="retriever-order", query=paper) for paper in ("d00", "d01")]


@pytest.mark.parametrize("model", [PoolSet, Pool, Candidate, Contribution])
def test_frozen_rows_refuse_every_change(frozen, model):
    row = model.objects.first()
    changes = {
        PoolSet: {"manifest": {}},
        Pool: {"shortfall": {"bm25": 1}},
        Candidate: {"source": "x"},
        Contribution: {"rank": 9},
    }
    row.pk, row._state.adding = None, True
    for change in (
        lambda: model.objects.update(**changes[model]),
        lambda: model.objects.all()._raw_delete("default"),
        *([] if model is PoolSet else [lambda: model.objects.bulk_create([row])]),
    ):
        with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
            change()


def test_no_row_moves_from_a_draft_into_a_frozen_pool(collection, frozen, papers, runs):
    new = builders.query(collection, papers[2])
    RankedList.objects.create(run=runs[0], query=new, docnos=["d03", "d04"], scores=[2.0, 1.0])
    draft = build(collection)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Candidate.objects.filter(pool__pool_set=draft).update(pool=frozen.pools.first(), position=99)


def test_frozen_pools_are_drawn_again_identically(collection, frozen, papers, runs, capsys):
    builders.frozen_pool(builders.query(collection, papers[3]), papers[4:6])  # imported: it has no manifest
    call_command("rebuild_pools", "papers")
    output = capsys.readouterr().out
    assert "Identical pools: 2" in output
    assert "not drawn here: 1" in output


def test_a_rebuild_names_the_first_difference(collection, frozen, queries, runs):
    RankedList.objects.filter(run=runs[0], query=queries[0]).update(docnos=["d09", "d03"], scores=[9.0, 8.0])
    with pytest.raises(CommandError) as refused:
        call_command("rebuild_pools", "papers")
    assert refused.value.returncode == 1
    # d05 is forced, so it stays where it was, but bm25 no longer ranks it.
    expected, got = "d05 from cited (bm25 4 7.0, tfidf 7 4.0)", "d05 from cited (tfidf 7 4.0)"
    assert f"d00_method, position 1: expected {expected}, got {got}" in str(refused.value)


def test_a_rebuild_finds_another_score_and_a_list_that_differs_below_the_pool(frozen, queries, runs):
    lists = RankedList.objects.filter(run=runs[0], query=queries[0])
    docnos, scores = lists.get().docnos, lists.get().scores
    lists.update(docnos=docnos, scores=[*scores[:-1], 0.5])
    assert "d11 from cited (bm25 10 1.0, tfidf 1 10.0), got d11 from cited (bm25 10 0.5" in first_difference(frozen)
    second = RankedList.objects.filter(run=runs[0], query=queries[1])
    lists.update(docnos=docnos, scores=scores)
    second.update(docnos=[*second.get().docnos, "d00"], scores=[*second.get().scores, 0.5])
    assert first_difference(frozen).startswith("manifest.runs.bm25.sha256: expected ")


def test_a_rebuild_says_that_a_run_is_gone(collection, runs, queries):
    builders.run(collection, "empty", {})
    frozen = freeze_pools(collection=collection, pk=build(collection, sources=["bm25", "empty"]).pk)
    Run.objects.filter(name="empty").delete()
    assert "empty is gone" in first_difference(frozen)
