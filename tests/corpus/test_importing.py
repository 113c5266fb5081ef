"""Importing documents: what is written, what a second import, a fault, a kill or a cancellation leaves."""

from __future__ import annotations

import json

import pytest
from django.core.files.storage import default_storage

from corpus.importing import BATCH
from corpus.models import Document
from corpus.uploads import find_upload
from jobs.models import Job, State
from jobs.work import run, run_now
from tests import builders
from tests.corpus.conftest import case
from web.errors import BadInput, NotFound

pytestmark = pytest.mark.django_db


def lines(*docnos: str, **values: object) -> str:
    return "".join(json.dumps({"docno": each, "title": f"On {each}", **values}) + "\n" for each in docnos)


def many(number: int) -> list[str]:
    return [f"d{each:04}" for each in range(number)]


@pytest.fixture
def bring(collection, upload):
    def bring(content, name="f.jsonl", **options):
        return run_now("import_documents", collection=collection, files=[upload(content, name)], **options)

    return bring


@pytest.fixture
def waiting(collection, upload):
    """A job that waits for a worker."""

    def make(content, **options):
        parameters = {"files": [upload(content)], **options}
        return Job.objects.create(collection=collection, kind="import_documents", parameters=parameters)

    return make


def docnos(collection):
    return list(collection.documents.order_by("pk").values_list("docno", flat=True))


def test_documents_are_added_and_the_upload_is_removed(collection, bring):
    result = bring(lines("a", "b", year=1999, cites=["a", "x"]))
    assert (result["added"], result["unchanged"], result["skipped"], result["empty"]) == (2, 0, 0, 0)
    document = collection.documents.get(docno="b")
    assert (document.title, document.year, document.cites) == ("On b", 1999, ["a", "x"])
    assert document.text_digest == builders.document(collection, "c", title="On b", sentences=[]).text_digest
    assert not any(default_storage.listdir(f"uploads/{folder}")[1] for folder in default_storage.listdir("uploads")[0])


def test_a_second_import_changes_nothing(collection, bring):
    bring(lines("a", "b"))
    before = list(collection.documents.order_by("pk").values())
    result = bring(lines("a", "b", "b", year=2000))
    assert (result["added"], result["unchanged"]) == (0, 3)
    assert list(collection.documents.order_by("pk").values()) == before


def test_another_text_under_a_known_id_is_refused_and_nothing_is_written(collection, bring):
    bring(lines("a"))
    with pytest.raises(BadInput, match=r"f\.jsonl:2: document a is there already with another text"):
        bring(lines("new") + lines("a", title="Something else"))
    assert docnos(collection) == ["a"]


def test_two_lines_with_one_id_and_other_texts_are_a_wrong_line(collection, bring):
    result = bring(lines("a") + lines("a", title="Something else") + lines("b"), skip=1)
    assert (result["added"], result["unchanged"], result["skipped"]) == (2, 0, 1)
    assert result["reasons"][0].startswith("f.jsonl:2: document a")
    assert collection.documents.get(docno="a").title == "On a"


def test_a_fault_behind_the_first_batch_leaves_nothing(collection, bring):
    with pytest.raises(BadInput, match=f"f.jsonl:{BATCH + 2}: not JSON"):
        bring(lines(*many(BATCH + 1)) + "{")
    assert not Document.objects.exists()


def test_skipped_lines_are_counted_and_the_first_ten_named(collection, bring):
    result = bring(lines("a") + "{\n" * 12, skip=12)
    assert (result["added"], result["skipped"], len(result["reasons"])) == (1, 12, 10)


def test_a_run_after_a_kill_goes_on(collection, waiting):
    job = waiting(lines(*many(BATCH + 3)))
    for docno in many(BATCH)[:7]:  # what the killed worker had written
        builders.document(collection, docno, title=f"On {docno}", sentences=[], labels=[], import_job=job.pk)
    run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["added"], job.result["unchanged"]) == (State.SUCCEEDED, BATCH + 3, 0)
    assert len(docnos(collection)) == BATCH + 3


def test_a_cancelled_import_takes_back_what_it_wrote_but_not_what_is_used(collection, waiting):
    job = waiting(lines("a", "b", "c"))
    written = [builders.document(collection, each, import_job=job.pk) for each in ("a", "b")]
    builders.document(collection, "mine")
    builders.query(collection, written[1])
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)
    run(job.pk)
    job.refresh_from_db()
    assert (job.state, docnos(collection)) == (State.CANCELLED, ["b", "mine"])


def test_the_next_import_takes_back_what_a_dead_one_left(collection, waiting, bring):
    dead = waiting(lines("a"))
    builders.document(collection, "a", import_job=dead.pk)
    Job.objects.filter(pk=dead.pk).update(state=State.FAILED)
    bring(lines("b"))
    assert docnos(collection) == ["b"]


def test_objectives_count_as_background(collection, bring):
    bring(lines("a", sentences=["We ask."], labels=["objective"]))
    collection.refresh_from_db()
    assert collection.labels_of("background") == {"background", "objective"}


def test_documents_with_only_a_title_are_documents(collection, bring):
    assert bring(case("documents_title_only.jsonl"))["added"] == 3
    first = collection.documents.get(docno="t1")
    assert (first.shown_title, first.sentences) == ("Notes on lock gates", [])
    assert builders.query(collection, first, facet="").search_text() == "Notes on lock gates"


def test_ids_stay_as_they_are(collection, bring):
    bring(case("ids_like_formulas.jsonl"))
    bring("007\tA.\n7\tB.\n", "f.tsv")
    assert docnos(collection) == ["=1+1", "+44", "007", "7"]


def test_several_files_are_one_import(collection, upload):
    files = [upload(lines("a"), "a.jsonl"), upload("b\tB.\n{\n", "b.tsv")]
    with pytest.raises(BadInput, match=r"b\.tsv:2"):
        run_now("import_documents", collection=collection, files=files)
    assert docnos(collection) == []


def test_an_upload_is_found_by_its_own_collection_only(collection, upload):
    token = upload("x").split("/")[1]
    other = builders.collection("other")
    for found_by, wanted in (
        (other, token),
        (collection, f"{other.pk}-{token.partition('-')[2]}"),
        (collection, "../.."),
    ):
        with pytest.raises(NotFound):
            find_upload(found_by, wanted)
