"""MDCR's pools, by hand and by their laws."""

from __future__ import annotations

from collections import Counter

import pytest

from corpus.models import Document
from jobs.work import run_now
from pooling import mdcr
from pooling.building import freeze_pools, start_building
from pooling.forms import BuildForm
from pooling.manifest import first_difference
from tests import builders
from web.errors import BadInput

PLAN = {"strategy": "mdcr", "n": 10, "sources": ["a", "b", "c", "d"], "forced": [], "depths": {}, "queries": []}


@pytest.fixture
def corpus(collection):
    """The query paper p000 cites p001 to p008 and a book; p009 … p299 cite two each. Runs a and b agree."""
    documents = []
    for number in range(300):
        cites = [f"p{i:03}" for i in range(1, 9)] + ["book"] if number == 0 else []
        if number > 8:
            cites = [f"p{number % 8 + 1:03}", f"p{number % 60 + 100:03}"]
        field = "Art" if number % 2 else "Biology"
        documents.append(Document(collection=collection, docno=f"p{number:03}", cites=cites, fields=[field]))
    Document.objects.bulk_create(documents)
    query = builders.query(collection, collection.documents.get(docno="p000"), "")
    up = [f"p{number:03}" for number in range(1, 300)]
    builders.run(collection, "a", {query: up})
    builders.run(collection, "b", {query: up})
    builders.run(collection, "c", {query: up[::-1]})
    builders.run(collection, "d", {query: up[::2]})
    return query


def test_a_pool_has_five_cited_papers_and_ten_of_each_source_that_are_not(corpus):
    run_now("build_pools", collection=corpus.collection, plan=PLAN)
    draft = corpus.collection.pool_sets.get()
    candidates = list(draft.pools.get().candidates.values_list("document__docno", "source"))
    chosen = draft.plan["sources"]
    sources = Counter(source for _, source in candidates)
    assert sources == {"true": 5} | dict.fromkeys([*chosen, "graph", "most_cited", "random"], 10)
    cited = corpus.document.cites
    assert all((docno in cited) == (source == "true") for docno, source in candidates)
    assert all(docno > "p008" for docno, _ in candidates[5:])


def test_the_three_runs_that_overlap_least_are_chosen(corpus):
    runs = list(corpus.collection.runs.all())
    overlaps = mdcr.overlaps([corpus], runs)
    # The best 200 uncited: of a and b p009 to p208, of c p100 to p299, of d all 146 odd ones.
    with_d, with_c = 100 / 246, 109 / 291
    assert overlaps["a"] == overlaps["b"] == pytest.approx((1 + with_c + with_d) / 3)
    assert list(overlaps)[:3] == ["c", "d", "a"]


def test_neighbours_of_the_closest_cited_paper_come_first(collection):
    cites = {"q": ["x", "y"], "x": ["y", "n1"], "n2": ["y"], "n3": ["y"], "far": ["n1"]}
    for docno in ("q", "x", "y", "n1", "n2", "n3", "far"):
        builders.document(collection, docno, cites=cites.get(docno, []), fields=["Art"])
    query = builders.query(collection, collection.documents.get(docno="q"), "")
    sources, positives, cited = mdcr.Candidates([query]).candidates(query, {}, "seed")
    # |out(q) ∩ near(x)| = |{y}| of |{x, y, q, n1}|; |{x}| of |{x, y, q, n2, n3}| for y.
    assert sources["graph"] == ["n1", "n3", "n2"]
    assert set(sources["most_cited"]) == {"n1"}
    assert set(sources["random"]) == {"n1", "n2", "n3", "far"}
    assert (set(positives), cited) == ({"x", "y"}, {"x", "y"})


def test_frozen_pools_are_drawn_again_by_their_manifest(corpus):
    run_now("build_pools", collection=corpus.collection, plan=PLAN)
    frozen = freeze_pools(collection=corpus.collection, pk=corpus.collection.pool_sets.get().pk)
    assert first_difference(frozen) == ""
    assert len(frozen.manifest["sources"]) == 3


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"sources": ["a", "b"]}, "at least 3 runs"),
        ({"forced": ["cited"]}, "cannot begin"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(corpus, change, error):
    with pytest.raises(BadInput, match=error):
        start_building(collection=corpus.collection, plan=PLAN | change, by=None)


@pytest.mark.parametrize(("column", "error"), [("cites", "no citation"), ("fields", "no field")])
def test_what_query_papers_lack_is_said(corpus, column, error):
    setattr(corpus.document, column, [])
    corpus.document.save()
    with pytest.raises(BadInput, match=f"{error}, the first is p000"):
        start_building(collection=corpus.collection, plan=PLAN, by=None)


def test_the_form_takes_no_whole_reference_lists_for_mdcr(corpus):
    data = {"strategy": "mdcr", "n": 10, "sources": ["a", "b", "c"], "cited": "on"}
    form = BuildForm(data, collection=corpus.collection, plan={}, adds=False)
    assert form.is_valid()
    assert form.plan["forced"] == []


def test_the_pages_show_a_draft(corpus, client, people):
    run_now("build_pools", collection=corpus.collection, plan=PLAN)
    client.force_login(people.admin)
    page = client.get(f"/c/{corpus.collection.slug}/pools/").content.decode()
    assert "graph" in page
    assert "Mean overlap" in page
