"""Labels and boundaries are saved as checked, or not at all."""

import pytest
from django.urls import reverse

from accounts.models import Role, User
from corpus.services import CorpusError, create_query
from corpus.topics.queries import add_sentence_query
from curation.checking.services import FrozenText, LabelError, LabelsChanged, check_labels
from curation.models import LabelRecord
from pooling.services import freeze_pool
from tests.support.factories import DocumentFactory, a_collection, a_query, member
from tests.support.labels import a_predicted_document, checked, predicted, seen
from tests.support.visits import text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def document(collection):
    return a_predicted_document(collection, docno="d/1")


@pytest.fixture
def curator(collection):
    return member(collection, Role.CURATOR, "cura")


@pytest.fixture
def check(document, curator):
    """Check the labels of the document as the curator, who sees it as it is."""

    def check(labels, sentences=None, as_seen=None):
        return check_labels(
            document=document,
            labels=labels,
            sentences=sentences,
            checked_by=curator,
            seen=seen(document) if as_seen is None else as_seen,
        )

    return check


def test_a_correction_is_saved_with_who_made_it_and_what_was_predicted(document, check, curator):
    check(["background", "result", "result"])

    document.refresh_from_db()
    record = document.label_record
    assert document.labels == ["background", "result", "result"]
    assert document.digest == document.text_digest() == record.digest
    assert record.predicted_labels == ["background", "method", "result"]
    assert (record.checked_by, record.labeller) == (curator, "tiny-1")


def test_unchanged_labels_are_checked_without_a_new_version_of_the_corpus(
    collection, document, check
):
    check(document.labels)

    collection.refresh_from_db()
    assert collection.corpus_version == 0
    assert not LabelRecord.objects.unchecked().exists()


def test_a_page_that_is_out_of_date_saves_nothing(collection, document, check):
    before = seen(document)
    checked(document, document.labels)

    with pytest.raises(LabelsChanged, match="admin checked d/1 since"):
        check(["method"] * 3, as_seen=before)
    document.refresh_from_db()
    assert document.labels == ["background", "method", "result"]


def test_a_submission_sent_twice_counts_once(document, check):
    before = seen(document)
    first = check(["method"] * 3, as_seen=before)
    again = check(["method"] * 3, as_seen=before)

    assert again.checked_at == first.checked_at


def test_joined_and_split_sentences_keep_what_was_predicted(document, check):
    sentences = ["Background of d/1. Method of d/1.", "Result", "of d/1."]
    record = check(["background", "result", "result"], sentences)

    document.refresh_from_db()
    assert document.sentences == sentences
    assert record.predicted_labels == ["background", "result", "result"]
    assert record.confidences == [0.9, 0.7, 0.7]
    assert LabelRecord.objects.get().digest == document.digest


@pytest.mark.parametrize(
    ("labels", "sentences"),
    [
        (["method"], None),
        (["method", "novelty", ""], None),
        (["method"], ["Background of d/1. Method of d/1. Results of d/1."]),
        (["method"] * 2, ["Background of d/1. Method of d/1. Result of d/1.", ""]),
    ],
)
def test_labels_and_sentences_that_do_not_fit_are_refused(document, check, labels, sentences):
    with pytest.raises(LabelError):
        check(labels, sentences)
    assert not LabelRecord.objects.checked().exists()


def test_boundaries_of_a_paper_with_a_query_by_sentences_stay(collection, document, check):
    add_sentence_query(
        collection=collection, docno=document.docno, facet_key="method", sentences=(2, 3)
    )
    joined = [" ".join(document.sentences[:2]), document.sentences[2]]

    with pytest.raises(LabelError, match="d/1_method-2 names sentences of d/1 by number"):
        check(["method", "result"], sentences=joined)

    document.refresh_from_db()
    assert len(document.sentences) == 3


def test_frozen_text_can_be_confirmed_but_not_changed(collection):
    query = a_query(collection)
    freeze_pool(pool=query.query_paper.pool)
    document = query.query_paper.document
    predicted(document)

    with pytest.raises(FrozenText, match="only save them as they were"):
        checked(document, ["method"] * 3)
    assert checked(document, ["background", "method", "result"]).is_checked


def test_an_unlabelled_document_becomes_a_query_paper_once_it_is_labelled(collection):
    document = DocumentFactory(collection=collection, docno="d2", labels=[])
    with pytest.raises(CorpusError, match="no sentence labelled method"):
        create_query(collection=collection, docno="d2", facet_key="method")

    checked(document, ["background", "method", ""])

    assert create_query(collection=collection, docno="d2", facet_key="method")


def test_an_admin_labels_on_the_page_of_the_document(admin, document):
    address = reverse("label-sentences", args=["small", document.docno])
    fields = {"label": ["method", "result", "other"], "seen": seen(document)}
    page = admin.post(address, fields, follow=True)

    document.refresh_from_db()
    assert document.labels == ["method", "result", "other"]
    assert "checked by admin" in text_of(page)
    assert "corrected, predicted background" in text_of(page)


def test_an_annotator_gets_none_of_it(client, document):
    client.force_login(User.objects.get(username="ann1"))
    for name, arguments in [
        ("check-labels", []),
        ("check-next", []),
        ("check-document", ["d/1"]),
        ("label-sentences", ["d/1"]),
    ]:
        assert client.post(reverse(name, args=["small", *arguments])).status_code == 404
