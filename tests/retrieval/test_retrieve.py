"""Runs by retrievers that are chosen by name: the whole paper, or a facet's sentences."""

import pytest

from corpus.services import create_query
from jobs.context import DirectRun
from jobs.models import Job
from retrieval.errors import RetrievalError
from retrieval.models import Run
from retrieval.retrievers import CATALOGUE
from retrieval.services import request_run, retrieve
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    collection = a_collection()
    DocumentFactory(collection=collection, docno="q1", sentences=["Old apples.", "New pears."],
                    labels=["background", "method"], title="Cherries")  # fmt: skip
    DocumentFactory(collection=collection, docno="q2", sentences=["Old pears.", "New plums."],
                    labels=["background", "method"], title="Cherries")  # fmt: skip
    for fruit in ("apples", "pears", "plums", "cherries"):
        DocumentFactory(
            collection=collection,
            docno=fruit,
            title=f"On {fruit}",
            sentences=[f"{fruit.title()} {fruit} again."],
            labels=["other"],
        )
    for docno, facet in (("q1", "method"), ("q1", "background"), ("q2", "background")):
        create_query(collection=collection, docno=docno, facet_key=facet)
    return collection


def found(collection, name, depth=10):
    run = retrieve(collection=collection, name=name, depth=depth, work=DirectRun())
    return {ranking.query_paper.name: ranking.docnos for ranking in run.rankings.all()}


def test_title_and_abstract_together_find_what_either_says(collection):
    ranked = found(collection, "bm25_text")
    assert set(ranked) == {"q1", "q2"}
    assert set(ranked["q1"]) == {"q2", "apples", "pears", "cherries"}


@pytest.mark.parametrize("name", ["bm25_abstract", "bm25_text", "tfidf_abstract"])
def test_a_facet_variant_asks_with_the_facet_s_sentences_only(collection, name):
    ranked = found(collection, f"{name}@method")
    assert {paper: set(docnos) for paper, docnos in ranked.items()} == {"q1": {"pears", "q2"}}
    ranked = found(collection, f"{name}@background")
    assert set(ranked["q1"]) == {"apples", "q2"}
    assert set(ranked["q2"]) == {"pears", "q1"}


@pytest.mark.parametrize("name", ["cbow_abstract", "tfidf_cbow_abstract@background"])
def test_averaged_word_vectors_rank_every_document_that_has_words(collection, name):
    assert set(found(collection, name)["q2"]) == {"q1", "apples", "pears", "plums", "cherries"}


def test_a_facet_variant_s_run_says_so_and_shares_the_index_of_its_base(collection, settings):
    found(collection, "bm25_abstract")
    found(collection, "bm25_abstract@method")
    run = collection.runs.get(name="bm25_abstract@method")
    assert (run.kind, run.parameters["facet"]) == ("bm25", "method")
    assert len(list((settings.ARTEFACT_DIR / "small" / "indexes").iterdir())) == 1


def test_every_retriever_of_the_catalogue_makes_a_run(collection):
    for name in CATALOGUE:
        try:
            found(collection, name)
        except RetrievalError as error:  # no document cites another here
            assert "cannot be built" in str(error)  # noqa: PT017
        else:
            assert collection.runs.filter(name=name).exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bm25_abstract@metod", "small has no facet 'metod'; it has background, method, result"),
        ("bm25_title@method", "a title has no facets"),
        ("bm25_abstract@result", "no query paper with text for bm25_abstract@result"),
        ("nonsense", "Unknown retriever 'nonsense'"),
        (f"encoder:{'x' * 60}", "longer than the 60 characters"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_words(collection, name, message):
    with pytest.raises(RetrievalError, match=message):
        found(collection, name)


def test_a_job_for_no_retriever_is_refused_before_it_is_queued(collection):
    with pytest.raises(RetrievalError, match="has no facet"):
        request_run(collection=collection, name="bm25_text@nose", requested_by=None)
    assert not collection.jobs.exists()


def test_the_longest_name_of_a_run_fits_its_job(collection, settings):
    name = "encoder:" + "x" * 52
    settings.ENCODERS = [name]

    job = request_run(collection=collection, name=name, requested_by=None)

    job.refresh_from_db()
    assert (len(name), job.key) == (60, f"run:{name}")
    longest = Run._meta.get_field("name").max_length
    assert len("run:") + longest <= Job._meta.get_field("key").max_length
