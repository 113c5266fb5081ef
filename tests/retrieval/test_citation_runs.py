"""The retrievers that read no text, run over a collection's own documents."""

import pytest

from corpus.models import Document
from corpus.services import create_query
from jobs.context import DirectRun
from retrieval.errors import RetrievalError
from retrieval.services import retrieve
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    collection = a_collection(seed="their own")
    for docno, year, fields, references in (
        ("query", 2010, ["CS"], ["r1", "book"]),
        ("r1", 2001, ["CS"], ["old"]),
        ("old", 1990, ["Maths"], []),
        ("later", 2012, ["CS"], ["r1", "book"]),
        ("same", 2010, ["CS"], ["book", "later"]),
    ):
        DocumentFactory(
            collection=collection, docno=docno, year=year, fields=fields, references=references
        )
    create_query(collection=collection, docno="query", facet_key="method")
    return collection


def ranked(collection, name):
    run = retrieve(collection=collection, name=name, depth=10, work=DirectRun())
    ranking = run.rankings.get()
    return list(zip(ranking.docnos, ranking.scores, strict=True))


def test_references_years_and_fields_reach_the_retrievers(collection):
    # Neither r1 nor the book shares anything with the query paper; r1 has the higher docno.
    assert ranked(collection, "graph") == [("old", 1.0), ("later", 1 / 2), ("same", 1 / 3)]
    assert ranked(collection, "graph.not_later.same_field") == [("same", 1.0)]
    assert ranked(collection, "most_cited") == [("later", 1.0)]


def test_chance_follows_the_seed_of_the_collection(collection):
    run = retrieve(collection=collection, name="random", depth=10, work=DirectRun())
    assert run.parameters["seed"] == "their own"
    assert sorted(run.rankings.get().docnos) == ["later", "old", "same"]


def test_a_year_that_changes_changes_the_list(collection):
    assert len(ranked(collection, "graph.not_later")) == 2
    Document.objects.filter(docno="later").update(year=2000)
    assert len(ranked(collection, "graph.not_later")) == 3


def test_a_corpus_without_citations_says_what_is_missing(collection):
    Document.objects.update(references=[])
    with pytest.raises(RetrievalError, match=r"graph cannot be built: no document cites another"):
        ranked(collection, "graph")


def test_a_requirement_that_does_not_exist_is_refused(collection):
    with pytest.raises(RetrievalError, match=r"'nearby'; use same_field"):
        ranked(collection, "graph.nearby")
