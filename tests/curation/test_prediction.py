"""Predicted labels: which documents get them, where they are from, and what stays as it is."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from corpus.facets import NO_FACETS, FacetPlan
from corpus.models import Document
from corpus.services import create_query
from curation.errors import LabellingError
from curation.labels import prediction
from curation.labels.counts import LabellerCount, count_labels
from curation.labels.prediction import JOB_KIND, predict_labels, request_labels
from curation.models import LabelRecord
from jobs.context import DirectRun
from jobs.lease import Cancelled
from jobs.models import State
from jobs.services import request_cancel, run
from pooling.services import freeze_pools
from tests.support.curation import a_label_record
from tests.support.factories import DocumentFactory, a_collection, a_pool
from tests.support.labels import checked
from tests.support.visits import csv_rows
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

SENTENCES = [
    "Parsing is an important task that has been studied for decades.",
    "In this paper, we propose a new method based on neural networks.",
    "Results show that our approach outperforms the state of the art.",
]
LABELS = ["background", "objective", "result"]
FORM = {"labeller": "csabstruct", "only": "unlabelled"}


@once_a_file
def collection():
    return a_collection()


def unlabelled(collection, docno: str) -> Document:
    return DocumentFactory(collection=collection, docno=docno, sentences=SENTENCES, labels=[])


def labelled(collection, **options):
    return predict_labels(collection=collection, work=DirectRun(), **options)


def test_the_built_in_labeller_labels_a_corpus_and_records_itself(collection):
    document = unlabelled(collection, "d1")

    report = labelled(collection)

    document.refresh_from_db()
    assert document.labels[0] == "background"
    assert document.labels[2] == "result"
    assert document.digest == document.text_digest()
    record = document.label_record
    assert (record.labeller, record.digest) == ("csabstruct 1", document.digest)
    assert record.predicted_labels == document.labels
    assert record.lowest_confidence == min(record.confidences)
    assert report.labelled == 1
    collection.refresh_from_db()
    assert collection.corpus_version == 1


def test_imported_checked_and_frozen_documents_keep_their_labels(collection, monkeypatch):
    monkeypatch.setattr(prediction, "STEP", 4)  # so that frozen ones are among others
    imported = DocumentFactory(collection=collection, docno="imported")
    checked_empty = unlabelled(collection, "checked")
    checked(checked_empty, ["", "", ""])
    frozen = unlabelled(collection, "frozen")
    paper = create_query(collection=collection, docno="imported", facet_key="method").query_paper
    a_pool(paper, [frozen])
    freeze_pools(collection=collection)
    free = [unlabelled(collection, f"free{number}") for number in range(7)]

    report = labelled(collection)

    assert (report.labelled, report.frozen) == (len(free), 1)
    for document in (imported, checked_empty, frozen):
        before = document.digest
        document.refresh_from_db()
        assert document.digest == before
    assert not LabelRecord.objects.filter(document=frozen).exists()
    counts = count_labels(collection)
    assert counts == (1, 1, 7, 1, 0, (LabellerCount("csabstruct 1", 7, 0),))


def test_predicted_labels_are_predicted_again_and_checked_ones_are_not(collection):
    first, second = unlabelled(collection, "d1"), unlabelled(collection, "d2")
    labelled(collection)
    second.refresh_from_db()
    checked(second, ["method", "method", "method"])
    LabelRecord.objects.filter(document=first).update(labeller="old 1")

    report = labelled(collection, only="predicted")

    second.refresh_from_db()
    assert (report.labelled, second.labels) == (1, ["method"] * 3)
    assert first.label_record.labeller == "csabstruct 1"


def test_a_label_of_no_facet_becomes_other(collection):
    own = a_collection(
        "own", facets=[FacetPlan("mechanism", "Mechanism", ("mechanism", "background"))]
    )
    document = unlabelled(own, "d1")

    labelled(own)

    document.refresh_from_db()
    assert set(document.labels) == {"background", "other"}


@pytest.mark.parametrize(
    ("facets", "message"),
    [
        (NO_FACETS, "has no facets: documents are judged as a whole"),
        (
            [FacetPlan("mechanism", "Mechanism", ("mechanism",))],
            r"facet mechanism would get no sentence.* such as background, or train a labeller",
        ),
    ],
    ids=["without facets", "a facet without labels"],
)
def test_labels_that_no_facet_would_get_are_refused(collection, facets, message):
    own = a_collection("own", facets=facets)
    unlabelled(own, "d1")

    with pytest.raises(LabellingError, match=message):
        labelled(own)
    with pytest.raises(LabellingError, match=message):
        request_labels(collection=own, requested_by=None)


def test_a_cancelled_job_keeps_its_steps_and_the_next_does_the_rest(collection, monkeypatch):
    monkeypatch.setattr(prediction, "STEP", 2)
    documents = [unlabelled(collection, f"d{number}") for number in range(5)]
    job = request_labels(collection=collection, requested_by=None)
    write = prediction._write

    def write_and_cancel(*arguments):
        write(*arguments)
        job.refresh_from_db()
        request_cancel(job=job)

    monkeypatch.setattr(prediction, "_write", write_and_cancel)
    run(job.pk)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert LabelRecord.objects.count() == 2

    monkeypatch.setattr(prediction, "_write", write)
    call_command("label_sentences", "small")
    assert LabelRecord.objects.count() == len(documents)


def test_a_retried_job_predicts_again_only_what_it_has_not_done(collection, monkeypatch):
    monkeypatch.setattr(prediction, "STEP", 2)
    for number in range(5):
        unlabelled(collection, f"d{number}")
    predict_labels(collection=collection, work=DirectRun())
    up_to = prediction.last_record(collection)
    again = {"collection": collection, "only": "predicted", "up_to": up_to}

    with pytest.raises(Cancelled):
        predict_labels(**again, work=CancelledAt(step=2))

    assert predict_labels(**again, work=DirectRun()).labelled == 3
    assert LabelRecord.objects.filter(pk__gt=up_to).count() == 5


class CancelledAt(DirectRun):
    def __init__(self, step: int) -> None:
        super().__init__()
        self.steps_left = step

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        self.steps_left -= 1
        if not self.steps_left:
            raise Cancelled


@pytest.mark.one_database
def test_another_request_is_refused_while_a_job_labels(collection, admin):
    unlabelled(collection, "d1")
    admin.post(reverse("predict-labels", args=["small"]), FORM)

    page = admin.post(reverse("predict-labels", args=["small"]), FORM | {"only": "predicted"})
    api = admin.post(
        reverse("api-labels", args=["small"]), {"only": "predicted"}, "application/json"
    )

    assert "is labelling sentences, so no other job was started" in page.text
    assert (api.status_code, api.json()["code"]) == (409, "labelling_under_way")


@pytest.mark.one_database
def test_documents_are_filtered_by_the_source_of_their_labels(collection, admin):
    imported, predicted, person = DocumentFactory.create_batch(3, collection=collection)
    a_label_record(predicted)
    checked(person, person.labels)
    bare = unlabelled(collection, "bare")
    DocumentFactory(collection=collection, docno="empty", sentences=[], labels=[])
    address = reverse("documents", args=["small"])
    docnos = {"imported": imported, "predicted": predicted, "checked": person, "none": bare}

    for source, document in docnos.items():
        (row,) = csv_rows(admin.get(address, {"format": "csv", "labels": source}))
        assert (row["docno"], row["labels_from"]) == (document.docno, source)


@pytest.mark.one_database
def test_the_row_of_a_facet_says_which_labels_the_built_in_labeller_predicts(collection, admin):
    fields = {
        "redraw": "facet",
        "facets": "own",
        "facet-0-key": "purpose",
        "facet-1-key": "mechanism",
        "facet-1-labels": "mechanism, method",
    }

    text = admin.post(reverse("collection-facets", args=["small"]), fields).text

    assert text.count("The built-in labeller predicts none of them.") == 1
    assert "The built-in labeller predicts method." in text


def test_the_page_counts_labels_and_starts_the_job(admin, collection, django_assert_num_queries):
    unlabelled(collection, "d1")
    page = reverse("labels", args=["small"])

    answer = admin.post(
        reverse("predict-labels", args=["small"]),
        FORM,
    )

    assert answer["Location"] == page
    run(collection.jobs.get(kind=JOB_KIND).pk)
    shown = admin.get(page).content.decode()
    assert 'aria-label="Predicted">1 of 1</meter>' in shown
    assert admin.get("/api/v1/collections/small/labels/").json()["predicted"] == 1


def test_a_collection_without_facets_has_no_link_to_labels(admin, collection):
    a_collection("whole", facets=NO_FACETS)

    for slug, has_link in (("small", True), ("whole", False)):
        shown = admin.get(reverse("documents", args=[slug])).content.decode()
        assert (f'href="/c/{slug}/labels/"' in shown) == has_link
    assert "No labels needed" in admin.get(reverse("labels", args=["whole"])).content.decode()
