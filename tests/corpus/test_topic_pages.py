"""Topic files, sent through the browser: what comes in, and what is refused with its line."""

from __future__ import annotations

import gzip

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import Role
from jobs.models import Job, State
from tests.corpus.test_import_topics import NEW, OLD
from tests.pooling.test_pages import client_of
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.uploading import done, kept
from tests.support.visits import markup

pytestmark = pytest.mark.django_db

WHERE = "/c/small/queries/import-topics/"


@pytest.fixture
def collection():
    return a_collection()


@pytest.fixture
def admin(collection):
    return client_of("admin")


def send(client, content=OLD, name="topics.txt", **more):
    content = content if isinstance(content, bytes) else content.encode()
    sent = {"file": SimpleUploadedFile(name, content), "facet": "method", **more}
    return client.post(WHERE, sent)


def names(collection):
    return set(collection.queries.values_list("name", flat=True))


@pytest.mark.parametrize("content", [OLD, gzip.compress(OLD.encode(), mtime=0)])
def test_every_topic_of_an_uploaded_file_becomes_a_query(collection, admin, content):
    answer = send(admin, content)

    job = Job.objects.get()
    assert answer.url == reverse("job", args=["small", job.pk])
    assert (len(kept()), done().state, kept()) == (1, State.SUCCEEDED, [])
    assert names(collection) == {"301_method", "302_method"}
    page = markup(admin.get(answer.url).text)
    assert "Import topics" in page
    assert "topics.txt" in page
    assert "<dt>created</dt><dd>2</dd>" in page


def test_facet_and_prefix_can_be_chosen(collection, admin):
    send(admin, NEW, facet="result", id_prefix="covid-")

    assert done().state == State.SUCCEEDED
    assert names(collection) == {"covid-1_result"}


def test_the_same_file_twice_changes_nothing(collection, admin):
    send(admin)
    done()
    send(admin)

    assert done().result == {"created": 0, "unchanged": 2, "facet": "method"}


def test_every_topic_that_is_wrong_is_listed_and_none_comes_in(collection, admin):
    content = "<top><title>A</top>\n<top><num>1<title>B</top>\n<top><num>2</top>\n"

    answer = send(admin, content)
    job = done()

    assert job.state == State.FAILED
    assert job.error.splitlines() == [
        "Nothing of topics.txt was imported. 2 topics failed:",
        "topics.txt:1: the topic has no id. Add <num> or _id.",
        "topics.txt:3: topic 2 has no text. Add a title.",
    ]
    assert "topics.txt:3: topic 2 has no text" in admin.get(answer.url).text
    assert not collection.queries.exists()


def test_every_docno_that_is_taken_is_listed_and_none_comes_in(collection, admin):
    for docno in ("301", "302"):
        DocumentFactory(collection=collection, docno=docno)
    more = "<top><num>303<title>More</top>"

    send(admin, OLD + more)

    first, *problems = done().error.splitlines()
    assert first.endswith("2 topics failed:")
    assert [problem.split(" in small")[0] for problem in problems] == [
        "topics.txt:1: 301 is already a document",
        "topics.txt:14: 302 is already a document",
    ]
    assert not collection.documents.filter(is_topic=True).exists()


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ({"facet": "method"}, "Choose a topic file."),
        ({"file": b"", "facet": "method"}, "This file is empty."),
        ({"file": b"x", "facet": "taste"}, "taste"),
        ({"file": b"x", "facet": "method", "id_prefix": "a b"}, "must not contain spaces"),
    ],
)
def test_a_wrong_form_says_why_and_keeps_what_was_typed(collection, admin, sent, what):
    if "file" in sent:
        sent = {**sent, "file": SimpleUploadedFile("t.txt", sent["file"])}

    page = admin.post(WHERE, sent)

    assert page.status_code == 422
    assert what in page.text
    assert f'value="{sent.get("id_prefix", "")}"' in page.text or "id_prefix" not in sent
    assert not Job.objects.exists()
    assert not kept()


def test_a_second_file_waits_for_the_first(collection, admin):
    send(admin)

    page = send(admin, NEW, "more.xml", id_prefix="c")

    assert page.status_code == 422
    assert "topics.txt is being imported, so" in page.text
    assert 'value="c"' in page.text
    assert Job.objects.count() == len(kept()) == 1
    assert "Import topics" in admin.get(reverse("add-query", args=["small"])).text


@pytest.mark.parametrize("username", ["ann1", "adju", "stranger"])
def test_only_an_admin_of_the_collection_finds_it(collection, username):
    member(a_collection("other"), Role.ADMIN, "stranger")
    client = client_of(username)

    assert (send(client).status_code, client.get(WHERE).status_code) == (404, 404)
    assert not Job.objects.exists()
    assert not kept()


def test_a_topic_is_not_labelled_by_hand(collection, admin):
    send(admin)
    done()

    page = admin.get(reverse("document", args=["small", "301"]))
    assert "Label the sentences" not in page.text
    refused = admin.post(
        reverse("label-sentences", args=["small", "301"]), {"label": ["result", ""]}, follow=True
    )

    assert "301 is a topic" in refused.text
    assert collection.documents.get(docno="301").labels == ["method", "method"]
