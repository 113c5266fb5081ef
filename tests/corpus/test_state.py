"""Which state of the corpus runs and pools are of, and what happens when it changes under them."""

import hashlib
import io

import pytest
from django.conf import settings

from corpus.digests import canonical_json
from corpus.models import Document
from corpus.services import create_query
from corpus.state import CorpusChanged, corpus_digest, corpus_documents
from jobs.context import DirectRun
from pooling.models import Pool, PoolBuild
from pooling.services import PoolPlan, build_pools
from retrieval.indexes import external_sort
from retrieval.models import Run
from retrieval.services import import_run, open_index, retrieve
from tests.support.factories import DocumentFactory, a_collection, a_topic
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


class Meddling(DirectRun):
    """Work during which the title of a document changes, when a report of progress says `when`."""

    def __init__(self, collection, when):
        super().__init__(io.StringIO())
        self.document, self.when = collection.documents.last(), when

    def progress(self, done, total, note=""):
        if self.when in note:
            changed = {"title": "Another title", "digest": "0" * 64}
            Document.objects.filter(pk=self.document.pk).update(**changed)


@once_a_file
def collection():
    made = a_collection()
    DocumentFactory.create_batch(12, collection=made)
    first = made.documents.first()
    create_query(collection=made, docno=first.docno, facet_key="method")
    return made


def quiet():
    return DirectRun(io.StringIO())


def indexes(collection):
    folder = settings.ARTEFACT_DIR / collection.slug / "indexes"
    return sorted(path.name for path in folder.glob("*")) if folder.exists() else []


def test_the_digest_is_the_sorted_digests_of_the_documents_digested(collection):
    rows = collection.documents.values_list("docno", "digest", "year", "fields", "references")
    each = sorted(hashlib.sha256(canonical_json(row)).digest() for row in rows)
    assert corpus_digest(collection) == hashlib.sha256(b"".join(each)).hexdigest()


def test_the_same_documents_in_another_order_have_the_same_digest(collection):
    other = a_collection("other")
    for document in collection.documents.order_by("-pk"):
        document.pk, document.collection = None, other
        document.save(force_insert=True)
    assert corpus_digest(other) == corpus_digest(collection)


@pytest.mark.parametrize(
    "change",
    [
        {"docno": "zzz"},
        {"digest": "0" * 64},
        {"references": ["d"]},
        {"year": None},
        {"fields": ["Physics"]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_digest_changes_with_all_that_decides_a_ranking(collection, change):
    before = corpus_digest(collection)
    Document.objects.filter(pk=collection.documents.last().pk).update(**change)
    assert corpus_digest(collection) != before


def test_an_empty_corpus_has_a_digest():
    assert corpus_digest(a_collection()) == hashlib.sha256(b"").hexdigest()


def test_corpus_documents_are_those_of_the_collection_with_whether_they_have_text(collection):
    bare = DocumentFactory(collection=collection, docno="bare", sentences=[], labels=[])
    DocumentFactory(collection=a_collection("other"), docno="elsewhere")
    first = collection.documents.first()
    found = corpus_documents(collection, [first.docno, "bare", "bare", "elsewhere", "nowhere"])
    assert found == {first.docno: (first.pk, True), "bare": (bare.pk, False)}


def test_topics_are_no_part_of_the_corpus(collection):
    before = corpus_digest(collection)
    a_topic(collection)

    assert corpus_digest(collection) == before
    assert corpus_documents(collection, ["t1"]) == {}


def test_pools_count_no_topic_among_the_documents(collection):
    a_topic(collection)
    build = build_pools(collection=collection, plan=PoolPlan.take(1, depth=5), work=quiet())

    assert build.manifest["corpus"]["documents"] == 12
    assert set(build.manifest["pools"]["query_papers"]) >= {"t1"}


def test_a_topic_in_a_run_file_is_a_stranger(collection, tmp_path):
    a_topic(collection)
    asked, other = collection.documents.all()[:2]
    path = tmp_path / "a.run"
    path.write_text(f"{asked.docno} Q0 t1 1 2.0 x\n{asked.docno} Q0 {other.docno} 2 1.0 x\n")

    run = import_run(collection=collection, path=path, filename="a.run", name="mine", work=quiet())

    assert (run.report["outside_corpus"], run.report["documents"]) == (1, 1)


def test_an_imported_run_is_never_out_of_date_whatever_its_name_has_come_to_mean(collection):
    """Of a name that a later version gave to a retriever."""
    paper, other = collection.query_papers.get(), collection.documents.last()
    kept = collection.runs.create(name="bm25_text", kind="file", depth=1, sha256="0" * 64)
    kept.rankings.create(query_paper=paper, docnos=[other.docno], scores=[1.0])
    plan = PoolPlan.take(1, runs=("bm25_text",), depth=50)

    build = build_pools(collection=collection, plan=plan, work=quiet())

    assert collection.runs.get() == kept
    assert [run["kind"] for run in build.manifest["runs"]] == ["file"]


def test_an_index_of_a_corpus_that_changes_while_it_is_read_is_given_up(collection, monkeypatch):
    monkeypatch.setattr(
        external_sort, "CHUNK_DOCUMENTS", 5
    )  # so that progress is reported in the middle of reading
    work = Meddling(collection, "documents indexed")
    with pytest.raises(CorpusChanged, match="bm25_title was being built"):
        open_index(collection=collection, name="bm25_title", work=work)
    assert indexes(collection) == []
    assert open_index(collection=collection, name="bm25_title", work=quiet())


def test_pools_of_a_corpus_that_changes_meanwhile_are_given_up(collection):
    plan = PoolPlan.take(2, runs=("bm25_title",))
    build_pools(collection=collection, plan=plan, work=quiet())
    before = PoolBuild.objects.get()
    with pytest.raises(CorpusChanged, match="pools were being built"):
        build_pools(collection=collection, plan=plan, work=Meddling(collection, "pools drawn"))
    assert PoolBuild.objects.get() == before
    assert Pool.objects.get().candidates.exists()


def test_runs_are_made_anew_when_the_corpus_has_changed(collection):
    before = retrieve(collection=collection, name="bm25_title", depth=5, work=quiet()).parameters
    Meddling(collection, "").progress(0, 0)
    build_pools(collection=collection, plan=PoolPlan.take(2, runs=("bm25_title",)), work=quiet())
    assert Run.objects.get().parameters["corpus"] == corpus_digest(collection)
    assert Run.objects.get().parameters["corpus"] != before["corpus"]
