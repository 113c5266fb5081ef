"""Retrievers that read citations."""

from __future__ import annotations

import pytest

from jobs.work import run_now
from pooling.mdcr import Candidates
from retrieval.models import RankedList
from tests import builders
from web.errors import BadInput

pytestmark = pytest.mark.django_db
CITES = {
    "q": ["x", "y", "outside"],
    "x": ["y", "n1", "x"],
    "y": [],
    "n1": ["q"],
    "n2": ["y", "y"],
    "n3": ["y"],
    "far": ["n1", "outside"],
}


@pytest.fixture
def citing(collection):
    for docno, cites in CITES.items():
        builders.document(collection, docno, cites=cites, fields=["Art"])
    return builders.query(collection, collection.documents.get(docno="q"))


def listed(query, name):
    run_now("build_runs", collection=query.collection, names=[name])
    ranked = RankedList.objects.get(query=query, run__name=name)
    return list(zip(ranked.docnos, ranked.scores, strict=True))


def test_most_cited_counts_papers_of_the_corpus_that_cite_one(citing):
    """Once each, whatever a paper repeats; not itself, and not what is outside."""
    assert listed(citing, "most-cited") == [("y", 4.0), ("n1", 2.0), ("x", 1.0)]
    assert RankedList.objects.get().run.settings == {"documents": 7, "corpus": 7}


def test_neighbours_are_those_of_the_closest_cited_paper_first(citing):
    """|out(q) ∩ near(x)| is |{y}| of |{x, y, outside, q, n1}|; of y it is |{x}| of |{x, y, outside, q, n2, n3}|."""
    assert listed(citing, "citation-neighbours") == [
        ("n1", pytest.approx(1 / 5)),
        ("n3", pytest.approx(1 / 6)),
        ("n2", pytest.approx(1 / 6)),
        ("far", pytest.approx(0)),  # cites what the query paper cites, outside of the corpus
    ]


def test_neighbours_are_mdcrs_source(citing):
    graph = Candidates([citing]).candidates(citing, {}, "seed")[0]["graph"]
    assert graph == [docno for docno, _ in listed(citing, "citation-neighbours")]


def test_a_topic_has_no_neighbours_and_the_most_cited_of_all(collection, citing):
    topic = builders.topic(collection, "7", "Harbour dues")
    assert listed(topic, "citation-neighbours") == []
    assert [docno for docno, _ in listed(topic, "most-cited")] == ["y", "n1", "x", "q"]


def test_a_corpus_without_citations_is_refused(collection, papers):
    builders.query(collection, papers[0])
    with pytest.raises(BadInput, match="No document cites another"):
        run_now("build_runs", collection=collection, names=["most-cited"])
