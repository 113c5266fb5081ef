"""The pages of documents and queries, and the commands."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import Collection
from jobs.models import State
from jobs.work import run
from tests import builders

pytestmark = pytest.mark.django_db
CONTENT = (
    b'{"_id": "a", "title": "On a", "text": "One. Two.", "url": "x"}\n{"_id": "b", "title": "On b", "year": "?"}\n'
)


@pytest.fixture
def admin(as_):
    return as_("admin")


def address(name, collection, *args):
    return reverse(name, args=[collection.slug, *args])


def test_documents_are_listed_searched_and_filtered(admin, collection, papers):
    builders.document(collection, "plain", labels=[], sentences=["No labels here at all."])

    def found(**parameters):
        page = admin.get(address("documents", collection), parameters).context["table"].page
        return [row.docno for row in page.object_list]

    assert len(found()) == 13
    assert found(q="d03") == ["d03"]
    assert found(year="2004") == ["d04"]
    assert found(labels="none") == ["plain"]
    assert len(found(labels="given")) == 12
    assert found(labels="predicted") == []
    assert found(sort="-year")[0] == "d11"


def test_a_preview_cuts_letters_and_not_their_escapes(admin, collection):
    content = b'{"id": "a", "title": "t", "abstract": "' + b"x & " * 100 + b'"}'
    url = address("import-documents", collection)
    shown = admin.post(url, {"file": SimpleUploadedFile("a.jsonl", content)}, follow=True)
    assert "x &amp; " * 39 + "x &amp;…" in shown.content.decode()


def test_a_file_is_shown_then_imported_with_the_lines_to_skip(admin, collection, django_capture_on_commit_callbacks):
    url = address("import-documents", collection)
    shown = admin.post(url, {"file": SimpleUploadedFile("c.jsonl", CONTENT)}, follow=True)
    preview = shown.context["preview"]
    assert ([row["docno"] for row in preview["rows"]], dict(preview["columns"])["url"]) == (["a"], None)
    assert "c.jsonl:2:" in preview["bad"][0]
    assert not collection.documents.exists()
    upload_url = shown.redirect_chain[-1][0]

    def start(skip):
        with django_capture_on_commit_callbacks():
            page = admin.post(upload_url, {"skip": skip, "split": "on"}, follow=True)
        assert "form" not in page.context  # the job's card stands where the button was
        job = page.context["job"]
        run(job.pk)
        return job

    failed = start(0)
    page = admin.get(upload_url)
    assert (page.context["job"].pk, page.context["job"].state) == (failed.pk, State.FAILED)
    assert page.context["preview"]["rows"]  # and it can be started again
    done = start(1)
    page = admin.get(upload_url)
    assert (page.context["job"].pk, page.context["job"].result["added"]) == (done.pk, 1)
    assert "c.jsonl:2:" in page.content.decode()
    assert collection.documents.get().sentences == ["One.", "Two."]


def test_a_file_that_cannot_be_read_says_so_before_anything_is_started(admin, collection):
    file = SimpleUploadedFile("run.txt", b"1 Q0 d1 1 2.5 x\n")
    page = admin.post(address("import-documents", collection), {"file": file}, follow=True)
    assert "run.txt is in no known format" in page.content.decode()


def test_a_running_import_is_shown_with_the_documents(admin, collection):
    builders.document(collection, "d")
    job = collection.jobs.create(kind="import_documents", parameters={"files": []})
    assert admin.get(address("documents", collection)).context["job"] == job


def test_a_file_that_is_too_large_is_refused(admin, collection, settings):
    settings.UPLOAD_MAX_BYTES = 10
    page = admin.post(address("import-documents", collection), {"file": SimpleUploadedFile("c", CONTENT)})
    assert page.context["form"].errors["file"]


def test_ticked_and_pasted_documents_become_queries(admin, collection, papers):
    values = {"facets": ["method", ""], "docnos": "d02 result 1", "documents": [papers[0].pk, papers[1].pk]}
    assert admin.post(address("add-queries", collection), values).status_code == 302
    assert sorted(collection.queries.values_list("name", flat=True)) == [
        "d00",
        "d00_method",
        "d01",
        "d01_method",
        "d02_result-2",
    ]


def test_a_refused_list_keeps_what_was_typed(admin, collection, papers):
    ticked = papers[3].pk
    typed = {"facets": ["method"], "docnos": "d00\nnine", "documents": [ticked]}
    page = admin.post(address("add-queries", collection), typed).content.decode()
    assert "There is no document nine" in page
    assert "d00\nnine" in page
    assert re.findall(r'name="documents" value="(\d+)" form="add" checked', page) == [str(ticked)]


def test_a_collection_without_facets_asks_for_none(admin):
    topics = builders.collection("topics", facets=[])
    paper = builders.document(topics, "d1", labels=[])
    assert admin.post(address("add-queries", topics), {"documents": [paper.pk]}).status_code == 302
    assert topics.queries.get().name == "d1"


@pytest.mark.parametrize("given", ["file", "text"])
def test_topics_are_shown_then_saved(admin, collection, given):
    content = "051\tHarbour dues\n052\n"
    value = SimpleUploadedFile("t.tsv", content.encode()) if given == "file" else content
    shown = admin.post(address("import-topics", collection), {given: value}, follow=True)
    assert [row["name"] for row in shown.context["preview"]["rows"]] == ["051"]
    assert not collection.queries.exists()
    upload_url = shown.redirect_chain[-1][0]
    assert ":2: the row must have 2 columns" in admin.post(upload_url, {"skip": 0}).content.decode()
    assert admin.post(upload_url, {"skip": 1}).status_code == 302
    assert collection.queries.get().title == "Harbour dues"


def test_queries_are_listed_with_their_state(admin, query, collection, papers):
    builders.topic(collection, "51", "Harbour dues")
    builders.frozen_pool(builders.query(collection, papers[10]), papers[1:3])
    table = admin.get(address("queries", collection)).context["table"]
    assert {row.name: row.state for row in table.page.object_list} == {
        "51": "no pool",
        "d00_method": "0 of 8 judged",
        "d10_method": "pool frozen",
    }
    only = admin.get(address("queries", collection), {"q": "harbour"}).context["table"].page.object_list
    assert [row.name for row in only] == ["51"]


def test_the_state_of_an_opened_query_says_what_is_left_to_do(admin, query, people, collection):
    def state():
        return admin.get(address("queries", collection)).context["table"].page.object_list[0].state

    grades = {f"d{number:02}": (1, 1) for number in range(1, 9)}
    first = query.pairs.get(document__docno="d01")
    builders.judge(first, people.ann, 1)
    builders.judge(first, people.bob, 1)
    assert state() == "1 of 8 judged"
    builders.judge_all(query, grades | {"d02": (1, 2)})
    assert state() == "1 case"
    builders.judge(query.pairs.get(document__docno="d02"), people.bob, 1)
    assert state() == "done"
    admin.post(address("close-queries", collection), {"query": query.pk})
    assert state() == "done, closed"


def test_a_query_without_a_pool_is_deleted_on_its_page(admin, collection):
    topic = builders.topic(collection, "51", "Harbour dues")
    admin.post(address("delete-query", collection, topic.pk))
    assert not collection.queries.exists()


def test_the_lists_are_downloaded_as_csv(admin, collection, papers):
    builders.topic(collection, "=1", "Sum")
    rows = admin.get(address("documents", collection), {"format": "csv"}).getvalue().decode().splitlines()
    assert rows[0] == "docno,title,year,sentences,labels"
    assert rows[1] == "d00,On d00,2000,3,background method result"
    assert "'=1,Sum,,0,no pool" in admin.get(address("queries", collection), {"format": "csv"}).getvalue().decode()


def test_commands_set_up_a_collection(tmp_path, capsys):
    builders.person("eva")
    call_command("create_collection", "cli", "--name", "By commands", "--admin", "eva", "--facets", "aim,method")
    collection = Collection.objects.get(slug="cli")
    assert (collection.facets, collection.memberships.get().is_admin) == (["aim", "method"], True)
    (tmp_path / "d.jsonl").write_bytes(CONTENT)
    (tmp_path / "e.tsv").write_text("007\tC.\n")
    with pytest.raises(CommandError, match=r"d\.jsonl:2: \"year\" must be a whole number, got \"\?\"\."):
        call_command("import_documents", "cli", tmp_path / "d.jsonl")
    call_command("import_documents", "cli", tmp_path / "d.jsonl", tmp_path / "e.tsv", "--skip", "1")
    assert "1 skipped" in capsys.readouterr().out
    assert sorted(collection.documents.values_list("docno", flat=True)) == ["007", "a"]
    for arguments in (["import_documents", "none", "x"], ["create_collection", "cli", "--name", "x", "--admin", "eva"]):
        with pytest.raises(CommandError):
            call_command(*arguments)


@pytest.mark.parametrize("name", ["字" * 200 + ".jsonl", "x" * 400 + ".jsonl"])
def test_a_file_with_a_long_name_is_taken(collection, admin, name):
    file = SimpleUploadedFile("short", b'{"docno": "1", "title": "One"}')
    file._name = name  # as a browser sends it
    page = admin.post(address("import-documents", collection), {"file": file}, follow=True)
    assert page.context["preview"]["rows"]


def test_an_id_that_is_too_long_for_a_query_is_refused_in_words(collection, admin):
    facet = "f" * 50
    Collection.objects.update(facets=[facet])
    builders.document(collection, "d" * 200, labels=[facet] * 3)
    form = {"docnos": "d" * 200, "facets": facet}
    page = admin.post(address("add-queries", collection), form)
    assert "has at most 250" in page.content.decode()
    assert not collection.queries.exists()
