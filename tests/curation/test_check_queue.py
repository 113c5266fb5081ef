"""Which abstract comes next, what its page shows, and what each step of its form does."""

import pytest
from django.db import connection
from django.urls import reverse

from accounts.models import Role, User
from curation.checking import queue as check_queue
from curation.checking.boundaries import cut, lengths_of, origins, split
from curation.models import LabelRecord
from pooling.services import freeze_pool
from tests.support.factories import a_collection, a_query, member
from tests.support.labels import a_predicted_document, checked, predicted
from tests.support.visits import text_of
from tests.support.worlds import once_a_file


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def curator(collection):
    return member(collection, Role.CURATOR, "cura")


@pytest.fixture
def visitor(client, curator):
    client.force_login(curator)
    return client


def address(document=None, name="check-document"):
    return reverse(name, args=["small", *([document.docno] if document else [])])


def lengths(page):
    return [sentence.length for sentence in page.context["shown"].sentences]


@pytest.mark.django_db
def test_query_papers_come_first_then_the_lowest_confidence(collection, curator, monkeypatch):
    monkeypatch.setattr(check_queue, "WINDOW", 1)
    monkeypatch.setattr(check_queue, "AHEAD", 1)
    sure, unsure = (a_predicted_document(collection, (low, 0.9, 0.9)) for low in (0.8, 0.3))
    paper = a_query(collection).query_paper.document
    predicted(paper)

    found = []
    while documents := check_queue.next_documents(collection, curator):
        found += documents
        checked(documents[0], documents[0].labels)

    assert found == [paper, unsure, sure]


@pytest.mark.django_db
def test_two_people_have_the_same_abstracts_in_different_orders(collection, curator):
    admin = User.objects.get(username="admin")
    for _ in range(6):
        a_predicted_document(collection)

    orders = [check_queue.next_documents(collection, person) for person in (curator, admin)]

    assert orders[0] != orders[1]
    without = [document.pk for document in orders[0]]
    rest = check_queue.next_documents(collection, curator, without=without)
    assert not set(orders[0]) & set(rest)


@pytest.mark.django_db
def test_frozen_candidates_are_not_asked_for_but_frozen_query_papers_are(collection, curator):
    query = a_query(collection)
    freeze_pool(pool=query.query_paper.pool)
    predicted(query.query_paper.document)
    predicted(query.query_paper.pool.candidates.first().document)

    documents = check_queue.next_documents(collection, curator)

    assert documents == [query.query_paper.document]
    assert check_queue.progress(collection) == (1, 0, 0)


@pytest.mark.django_db
def test_the_queue_reads_its_index(collection):
    records = check_queue._others(collection)[: check_queue.WINDOW]
    plan = records.explain()
    if connection.vendor == "sqlite":
        assert "label_record_to_check" in plan
        assert "TEMP B-TREE" not in plan


@pytest.mark.django_db
def test_without_script_boundaries_move_before_anything_is_saved(collection, visitor):
    document = a_predicted_document(collection, docno="d/1")
    page = visitor.get(address(document))
    fields = {
        "label": ["background", "other", "result"],
        "length": lengths(page),
        "seen": page.context["shown"].seen,
    }

    joined = visitor.post(address(document), {**fields, "step": "join-0"})
    assert [sentence.label for sentence in joined.context["shown"].sentences] == [
        "background",
        "result",
    ]
    place = {"step": "split-1", "place-1": "6"}
    fields = {**fields, "label": ["background", "result"], "length": lengths(joined)}
    halved = visitor.post(address(document), {**fields, **place})
    assert not LabelRecord.objects.checked().exists()
    fields = {**fields, "label": ["background", "result", "other"], "length": lengths(halved)}
    end = visitor.post(address(document), fields, follow=True)

    document.refresh_from_db()
    assert document.sentences == ["Background of d/1. Method of d/1.", "Result", "of d/1."]
    assert document.labels == ["background", "result", "other"]
    assert "All predicted labels are checked" in text_of(end)


@pytest.mark.django_db
def test_a_page_that_is_out_of_date_shows_the_abstract_as_it_is(collection, visitor):
    document = a_predicted_document(collection)
    fields = {"label": ["method"] * 3, "seen": visitor.get(address(document)).context["shown"].seen}
    checked(document, document.labels)

    page = visitor.post(address(document), fields)
    assert page.status_code == 409
    assert f"admin checked {document.docno} since this page was shown" in text_of(page)

    answer = visitor.post(address(document), fields, headers={"Accept": "application/json"})
    assert answer.json()["error"] == "LabelsChanged"


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize(
    "fields",
    [
        {"step": "join-2"},
        {"step": "split-0", "place-0": ""},
        {"step": "split-0", "place-0": "999"},
        {"step": "split-9", "place-9": "1"},
        {"length": ["1", "2", "3"]},
        {"length": ["many"]},
    ],
)
def test_a_form_that_was_changed_by_hand_is_refused(collection, visitor, fields):
    document = a_predicted_document(collection)
    page = visitor.post(address(document), {"label": ["method"] * 3, **fields})

    assert page.status_code == 400
    assert not LabelRecord.objects.checked().exists()


@pytest.mark.django_db
@pytest.mark.one_database
def test_undo_goes_back_through_what_the_person_checked(collection, visitor):
    first, second = (a_predicted_document(collection) for _ in range(2))
    for document in (first, second):
        checked(document, document.labels, "cura")
    undo = reverse("check-undo", args=["small"])

    assert visitor.get(undo).url == address(second)
    assert visitor.get(undo, {"from": second.pk}).url == address(first)
    assert visitor.get(undo, {"from": first.pk}).url == address(name="check-next")


def test_boundaries_move_between_words_that_stay():
    sentences = ["Two  words.", "And three words."]
    lengths = split(lengths_of(sentences), 1, 3)

    assert cut(sentences, lengths) == ["Two  words.", "And", "three words."]
    assert origins(lengths_of(sentences), lengths) == [0, 1, 1]
