"""The pages of runs."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from jobs.models import Job
from jobs.work import run_now
from retrieval.models import Run
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(as_):
    return as_("admin")


@pytest.fixture
def asked(collection, papers):
    return builders.query(collection, papers[0])


def url(name, collection, *args):
    return reverse(name, args=[collection.slug, *args])


def test_one_button_builds_both_and_a_second_press_starts_no_second_job(admin, collection, asked):
    page = admin.get(url("runs", collection))
    assert page.context["usual"] == ["bm25", "tfidf"]
    for _ in range(2):
        answer = admin.post(url("build-runs", collection), {"name": page.context["usual"]})
        assert answer.status_code == 302
    job = Job.objects.get()
    assert job.parameters == {"names": ["bm25", "tfidf"]}
    assert admin.get(url("runs", collection)).context["job"] == job


def test_a_run_that_lacks_queries_says_how_many_it_has_and_is_built_for_all(admin, collection, papers, asked):
    run_now("build_runs", collection=collection, names=["bm25", "tfidf"])
    assert admin.get(url("runs", collection)).context["behind"] == []
    builders.query(collection, papers[1])
    page = admin.get(url("runs", collection))
    assert "1 of 2" in page.text
    assert (page.context["lacking"], page.context["behind"]) == (["bm25", "tfidf"], ["bm25", "tfidf"])
    run_now("build_runs", collection=collection, names=page.context["behind"])
    assert "2 of 2" in admin.get(url("runs", collection)).text


def test_a_run_from_before_the_corpus_changed_can_be_built_again(admin, collection, asked):
    run_now("build_runs", collection=collection, names=["bm25"])
    builders.document(collection, "new")
    page = admin.get(url("runs", collection))
    assert (page.context["lacking"], page.context["behind"]) == ([], ["bm25"])


def test_a_run_file_is_imported_by_the_form_and_comes_back_as_a_file(admin, collection, asked):
    upload = SimpleUploadedFile("mine.run", b"d00_method Q0 d01 1 2.5 x\nd00_method Q0 gone 2 1.5 x\n")
    answer = admin.post(url("add-run", collection), {"file": upload, "name": "mine"}, follow=True)
    run = Run.objects.get()
    assert answer.redirect_chain[-1][0] == url("run", collection, run.pk)
    assert "gone" in answer.text
    written = admin.get(url("run-file", collection, run.pk))
    assert written.getvalue() == b"d00_method Q0 d01 1 2.5 mine\n"
    assert written["Content-Disposition"] == 'attachment; filename="papers-mine.run"'


def test_a_refused_file_is_explained_in_the_form(admin, collection, asked):
    upload = SimpleUploadedFile("mine.run", b"d00_method Q0 d01 1 nan x\n")
    answer = admin.post(url("add-run", collection), {"file": upload, "name": "mine"})
    assert "mine.run:1" in answer.text
    assert 'value="mine"' in answer.text


def test_a_list_leads_to_its_documents(admin, collection, asked):
    run_now("build_runs", collection=collection, names=["bm25"])
    run = Run.objects.get()
    page = admin.get(url("run", collection, run.pk))
    assert url("run-list", collection, run.pk, asked.pk) in page.text
    text = admin.get(url("run-list", collection, run.pk, asked.pk)).text
    first = collection.documents.get(docno=run.lists.get().docnos[0])
    assert url("document", collection, first.pk) in text


def test_a_run_is_deleted_from_its_page(admin, collection, asked):
    run_now("build_runs", collection=collection, names=["bm25"])
    admin.post(url("delete-run", collection, Run.objects.get().pk))
    assert not Run.objects.exists()


@pytest.mark.parametrize("person", ["ann", "ada"])
def test_runs_are_for_admins(as_, collection, asked, person):
    run_now("build_runs", collection=collection, names=["bm25"])
    run = Run.objects.get()
    client = as_(person)
    for name, args in (
        ("runs", []),
        ("add-run", []),
        ("run", [run.pk]),
        ("run-file", [run.pk]),
        ("run-list", [run.pk, asked.pk]),
    ):
        assert client.get(url(name, collection, *args)).status_code == 403
    for name, args in (("build-runs", []), ("delete-run", [run.pk])):
        assert client.post(url(name, collection, *args)).status_code == 403


def test_runs_of_another_collection_do_not_exist_here(admin, collection, asked):
    run_now("build_runs", collection=collection, names=["bm25"])
    other = builders.collection("other")
    for name, args in (("run", []), ("run-file", []), ("run-list", [asked.pk])):
        assert admin.get(url(name, other, Run.objects.get().pk, *args)).status_code == 404
