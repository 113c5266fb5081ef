"""Predicting and checking sentence labels: which documents get some, which keep theirs, and how good they are."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from sklearn.metrics import f1_score

from corpus import labeller
from corpus.labelling import check_labels, labels_digest, merge_objective, next_to_check, to_check
from corpus.models import Document
from corpus.queries import add_query_papers
from jobs.work import run_now
from release.csfcube import read_release
from tests import builders
from tests.real_data import SHARED
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db
SENTENCES = [
    "Parsing is a long-standing problem in natural language processing.",
    "Using an annotated set of posts, we extract patterns and then apply a bootstrapping method to find new ones.",
    "Experiments show that our approach outperforms the state of the art by 12%.",
]


@pytest.fixture
def plain(collection):
    """Documents without labels: `plain("a")`."""

    def make(docno, sentences=SENTENCES, **fields):
        return builders.document(collection, docno, sentences=sentences, labels=[], **fields)

    return make


def predict(collection, **options):
    return run_now("predict_labels", collection=collection, **options)


def check(document, *labels):
    check_labels(document=document, labels=labels, seen=labels_digest(document))


def test_documents_without_labels_get_predicted_ones(collection, plain):
    plain("a")
    plain("title", sentences=[])
    given = builders.document(collection, "given", labels=["result"] * 3)
    assert predict(collection) == {"labelled": 1, "kept": 0}
    document = collection.documents.get(docno="a")
    assert document.labels == ["background", "method", "result"]
    assert document.labels_predicted
    assert document.certainty == min(document.certainties) > 0.5
    given.refresh_from_db()
    assert (given.labels, given.labels_predicted) == (["result"] * 3, False)
    assert not collection.documents.get(docno="title").labels_predicted


def test_an_objective_counts_as_background_and_other_for_nothing(collection, plain):
    document = plain(
        "a", ["The aim of this paper is to make parsing faster.", "© 2020 Elsevier Ltd. All rights reserved."]
    )
    predict(collection)
    document.refresh_from_db()
    collection.refresh_from_db()
    assert document.labels == ["objective", "other"]
    add_query_papers(collection=collection, wanted=[("a", "background", [])])
    assert [marked for _, marked in collection.queries.get().marked_sentences()] == [True, False]


def test_an_objective_that_is_a_facet_or_that_judges_saw_stays_one(query, collection, people, papers, plain):
    plain("a")
    own = builders.collection("own", facets=["background", "objective"])
    merge_objective(own)
    builders.opened(builders.query(collection, papers[1], "background"), papers[2:4], people.ann, people.bob)
    predict(collection)
    collection.refresh_from_db()
    assert own.merged_labels == collection.merged_labels == {}


def test_predicting_again_leaves_a_query_its_sentence(collection, plain):
    paper = plain("a", SENTENCES[:1])
    Document.objects.filter(pk=paper.pk).update(labels=["result"], labels_predicted=True)
    add_query_papers(collection=collection, wanted=[("a", "result", [])])
    assert predict(collection, again=True) == {"labelled": 0, "kept": 1}
    assert collection.documents.get().labels == ["result"]


@pytest.mark.parametrize(("facets", "reason"), [([], "no facets"), (["method", "mechanism"], "labelled mechanism")])
def test_facets_that_no_label_belongs_to_are_refused(facets, reason):
    with pytest.raises(BadInput, match=reason):
        predict(builders.collection("other", facets=facets))


def test_predicting_again_replaces_what_nobody_checked(collection, plain):
    first, second = plain("a"), plain("b")
    predict(collection)
    first.refresh_from_db()
    check(first, "method", "method", "result")
    Document.objects.filter(pk=second.pk).update(labels=["other"] * 3)
    assert predict(collection)["labelled"] == 0
    assert predict(collection, again=True) == {"labelled": 1, "kept": 0}
    assert [each.labels[0] for each in collection.documents.order_by("docno")] == ["method", "background"]


def test_a_killed_job_goes_on_and_an_import_of_the_same_file_changes_nothing(collection, plain, upload, monkeypatch):
    monkeypatch.setattr("corpus.labelling.BATCH", 2)
    for number in range(5):
        plain(f"d{number}", title="T")
    plain("d0 done").delete()
    Document.objects.filter(docno__in=["d0", "d1"]).update(labels=["other"] * 3, labels_predicted=True)
    assert predict(collection)["labelled"] == 3
    line = {"docno": "d3", "title": "T", "sentences": SENTENCES}
    files = [upload(json.dumps(line))]
    assert run_now("import_documents", collection=collection, files=files)["unchanged"] == 1
    assert collection.documents.get(docno="d3").labels_predicted
    files = [upload(json.dumps(line | {"labels": ["result"] * 3}))]
    with pytest.raises(BadInput, match="other labels"):
        run_now("import_documents", collection=collection, files=files)


def test_query_papers_are_checked_first_then_the_least_certain(collection, plain):
    certainties = {"a": 0.9, "b": 0.4, "c": None, "d": 0.8, "e": 0.7}
    for docno, certainty in certainties.items():
        Document.objects.filter(pk=plain(docno).pk).update(
            labels=["method"] * 3, labels_predicted=True, certainty=certainty
        )
    add_query_papers(collection=collection, wanted=[("d", "method", []), ("a", "method", [])])
    seen = []
    while document := next_to_check(collection):
        seen.append(document.docno)
        check(document, "method", "method", "method")
    assert seen == ["d", "a", "b", "e", "c"]


def test_a_document_of_an_opened_query_keeps_its_labels(collection, query, people, papers):
    """Predicted ones can be confirmed, which changes no digest of what a judge saw."""
    Document.objects.filter(pk__in=[papers[0].pk, papers[1].pk]).update(labels_predicted=True)
    Document.objects.filter(pk=papers[2].pk).update(labels=[])
    builders.judge(query.pairs.get(document=papers[1]), people.ann, 2)
    assert not to_check(collection).exists()
    assert predict(collection, again=True) == {"labelled": 0, "kept": 3}
    for paper in papers[:2]:
        paper.refresh_from_db()
        with pytest.raises(Conflict, match="opened query"):
            check(paper, "method", "method", "result")
        check(paper, *paper.labels)
        assert not collection.documents.get(pk=paper.pk).labels_predicted
    builders.judge(query.pairs.get(document=papers[1]), people.bob, 2)


def test_labels_that_a_query_needs_or_that_changed_meanwhile_are_not_lost(collection, plain):
    document = plain("a")
    predict(collection)
    document.refresh_from_db()
    add_query_papers(collection=collection, wanted=[("a", "method", [])])
    with pytest.raises(Conflict, match="label at least one method"):
        check(document, "background", "result", "result")
    for wrong in (["method"], ["method", "method", "mood"], ["method", None, "method"]):
        with pytest.raises(BadInput):
            check(document, *wrong)
    seen = labels_digest(document)
    check(document, "method", "method", "result")
    with pytest.raises(Conflict, match="changed after the page was loaded"):
        check_labels(document=document, labels=["method", "other", "result"], seen=seen)
    check_labels(document=document, labels=["method", "method", "result"], seen=seen)  # sent twice
    document.refresh_from_db()
    assert (document.labels, document.certainties) == (["method", "method", "result"], [])


def test_the_file_of_the_labeller_holds_numbers_only():
    with np.load(labeller.SHIPPED, allow_pickle=False) as arrays:
        assert {name: array.dtype.kind for name, array in arrays.items() if array.dtype.kind != "f"} == {"labels": "U"}
    assert labeller.SHIPPED.stat().st_size < 3_000_000


def micro_f1(abstracts, merged=()):
    found = [labels for labels, _ in labeller.load().predict([sentences for sentences, _ in abstracts])]
    merge = dict(merged)
    gold = [merge.get(label, label) for _, labels in abstracts for label in labels]
    return f1_score(gold, [merge.get(label, label) for labels in found for label in labels], average="micro")


@pytest.mark.csfcube
def test_labels_are_as_good_as_promised():
    """On CSAbstruct's test split, and on CSFCube's abstracts with the objective merged as its facets merge it."""
    if not (SHARED / "csabstruct").exists():
        pytest.skip("CSAbstruct is not here.")
    test = [json.loads(line) for line in (SHARED / "csabstruct/test.jsonl").read_text("utf-8").splitlines()]
    assert micro_f1([(each["sentences"], each["labels"]) for each in test]) >= 0.81
    papers = read_release(SHARED / "csfcube").papers.values()
    abstracts = [(each["sentences"], each["labels"]) for each in papers]
    assert len(abstracts) == 3368
    assert micro_f1(abstracts, {"objective": "background"}.items()) >= 0.81


@pytest.mark.slow
@pytest.mark.csfcube
def test_training_again_gives_the_same_bytes(tmp_path, capsys):
    if not (SHARED / "csabstruct").exists():
        pytest.skip("CSAbstruct is not here.")
    call_command("train_labeller", SHARED / "csabstruct", "--output", tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == labeller.SHIPPED.read_bytes()


@pytest.mark.parametrize("line", ["{", "[]", '{"sentences": ["A."], "labels": ["mood"], "confs": [1]}'])
def test_a_file_that_is_not_csabstruct_is_refused(tmp_path, line):
    (tmp_path / "train.jsonl").write_text(line)
    with pytest.raises(CommandError, match=r"train\.jsonl:1: a line needs"):
        call_command("train_labeller", tmp_path)
