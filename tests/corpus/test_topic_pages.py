"""Topic files, sent through the browser: what comes in, and what is refused with its line."""

from __future__ import annotations

import gzip

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import Role
from corpus.forms import TopicsForm
from corpus.services import DEFAULT_FACETS, create_query
from jobs.models import Job, State
from tests.corpus.test_import_topics import NEW, OLD
from tests.pooling.test_pages import client_of
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.uploading import done, kept
from tests.support.visits import markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

WHERE = "/c/small/queries/import-topics/"


@once_a_file
def collection():
    return a_collection()


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


def test_several_files_are_one_import(collection, admin):
    files = [SimpleUploadedFile(name, OLD.encode()) for name in ("a.txt", "b.txt")]
    more = SimpleUploadedFile("c.txt", b"303\tOne more\n")

    admin.post(WHERE, {"file": [*files, more], "facet": "method"})

    assert done().state == State.SUCCEEDED
    assert names(collection) == {"301_method", "302_method", "303_method"}


def test_facet_and_prefix_can_be_chosen(collection, admin):
    send(admin, NEW, facet="result", topic_prefix="covid-")

    assert done().state == State.SUCCEEDED
    assert names(collection) == {"covid-1_result"}


def test_the_same_file_twice_changes_nothing(collection, admin):
    send(admin)
    done()
    send(admin)

    assert done().result == {
        "created": 0,
        "unchanged": 2,
        "format": "TREC topics (<top>)",
        "subtopics_left_out": 0,
        "facet": "method",
    }


def test_every_topic_that_is_wrong_is_listed_and_none_comes_in(collection, admin):
    content = "<top><title>A</top>\n<top><num>1<title>B</top>\n<top><num>2</top>\n"

    answer = send(admin, content)
    job = done()

    assert job.state == State.FAILED
    assert job.error.splitlines() == [
        "Nothing of topics.txt was imported. 2 topics failed:",
        "topics.txt:1: the topic has no id. Add <num>, _id, qid or id.",
        "topics.txt:3: topic 2 has no text. Add a title.",
    ]
    assert "topics.txt:3: topic 2 has no text" in admin.get(answer.url).text
    assert not collection.queries.exists()


def test_ids_in_use_are_one_message_and_none_comes_in(collection, admin):
    for docno in ("301", "302"):
        DocumentFactory(collection=collection, docno=docno)
        create_query(collection=collection, docno=docno, facet_key="method")
    more = "<top><num>303<title>More</top>"

    send(admin, OLD + more)

    assert done().error.splitlines() == [
        "Nothing of topics.txt was imported. 2 topics have ids that are already in use.",
        "topics.txt:1: <num> is 301, which is a document with queries in small.",
        "If they are different topics, import one of the files with a prefix for its ids, such as "
        "topic-.",
    ]
    assert not collection.topics.exists()


def test_a_topic_may_have_the_id_of_a_document(collection, admin):
    DocumentFactory(collection=collection, docno="301")

    send(admin)

    assert done().state == State.SUCCEEDED
    assert admin.get(reverse("document", args=["small", "301"])).status_code == 200
    page = admin.get(reverse("topic", args=["small", "301"]), follow=True)
    assert "International Organized" in page.text


def test_a_collection_with_one_facet_does_not_ask_for_it():
    collection = a_collection(facets=DEFAULT_FACETS[1:2])
    admin = client_of("admin")

    assert "facet" not in TopicsForm(collection=collection).fields
    send(admin, facet="")

    assert done().state == State.SUCCEEDED
    assert names(collection) == {"301_method", "302_method"}


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ({"facet": "method"}, "Choose a topic file."),
        ({"file": b"", "facet": "method"}, "This file is empty."),
        ({"file": b"x", "facet": "taste"}, "taste"),
        ({"file": b"x", "facet": "method", "topic_prefix": "a b"}, "must not contain spaces"),
    ],
)
def test_a_wrong_form_says_why_and_keeps_what_was_typed(collection, admin, sent, what):
    if "file" in sent:
        sent = {**sent, "file": SimpleUploadedFile("t.txt", sent["file"])}

    page = admin.post(WHERE, sent)

    assert page.status_code == 422
    assert what in page.text
    assert f'value="{sent.get("topic_prefix", "")}"' in page.text or "topic_prefix" not in sent
    assert not Job.objects.exists()
    assert not kept()


def test_a_second_file_waits_for_the_first(collection, admin):
    send(admin)

    page = send(admin, NEW, "more.xml", topic_prefix="c")

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


def test_a_topic_is_removed_with_its_last_query(collection, admin):
    send(admin)
    done()

    page = admin.post(reverse("remove-query", args=["small", "301_method"]), follow=True)

    assert "Removed 301_method." in page.text
    assert "Its document stays" not in page.text
    assert set(collection.topics.values_list("name", flat=True)) == {"302"}


def test_the_page_of_a_topic_shows_all_of_it(collection, admin):
    send(admin)
    done()

    moved = admin.get(reverse("topic", args=["small", "301"]))
    page = markup(admin.get(moved.url).text)

    assert moved.url == reverse("query", args=["small", "301_method"])
    assert "International Organized Crime" in page
    assert "Identify organizations. Where known, say &amp; how." in page
    assert "A relevant document must name one." in page
    assert "301_method" in page
    assert admin.get(reverse("topic", args=["small", "999"])).status_code == 404
