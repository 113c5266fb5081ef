import pytest
from django.urls import reverse

from accounts.models import User
from corpus.services import CorpusError, create_query, label_sentences
from pooling.services import freeze_pool
from tests.support.factories import DocumentFactory, a_query

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(collection):
    return DocumentFactory(collection=collection, docno="d/1", labels=[])


def post(client, username, document, labels):
    client.force_login(User.objects.get(username=username))
    address = reverse("label-sentences", args=["small", document.docno])
    return client.post(address, {"label": labels})


def test_an_unlabelled_document_becomes_a_query_paper_once_it_is_labelled(collection, document):
    with pytest.raises(CorpusError, match="no sentence labelled method"):
        create_query(collection=collection, docno="d/1", facet_key="method")

    label_sentences(document=document, labels=["background", "method", ""])

    assert create_query(collection=collection, docno="d/1", facet_key="method")
    document.refresh_from_db()
    assert document.digest == document.text_digest()


@pytest.mark.parametrize("labels", [["method"], ["method", "novelty", ""]])
def test_labels_that_do_not_fit_are_refused(document, labels):
    with pytest.raises(CorpusError):
        label_sentences(document=document, labels=labels)
    document.refresh_from_db()
    assert document.labels == []


def test_labels_stay_as_annotators_see_them(collection):
    query = a_query(collection)
    freeze_pool(pool=query.query_paper.pool)

    with pytest.raises(CorpusError, match="frozen pool"):
        label_sentences(document=query.query_paper.document, labels=["method"] * 3)


def test_an_admin_labels_in_the_browser(client, document):
    answer = post(client, "admin", document, ["method", "result", "other"])

    document.refresh_from_db()
    assert answer.status_code == 302
    assert document.labels == ["method", "result", "other"]
    assert "Save the labels" in client.get(answer.url).content.decode()


def test_an_annotator_cannot(client, document):
    assert post(client, "ann1", document, ["method"] * 3).status_code == 404
