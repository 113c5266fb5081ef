"""A check of files shows their first rows and writes nothing; the import may follow."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from corpus.models import Document
from corpus.services import create_query
from jobs.models import Job, State
from jobs.uploaded_files import sweep
from tests.support.factories import DocumentFactory
from tests.support.uploading import done, kept

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

DOCUMENTS = ".I 1\n.T\nOn <wings>\n.W\nThey fly.\n.I 2\n.T\nOn cones\n"
PAIR = "query,docno,annotator,grade\nq_method,d1,mara,2\nq_method,d1,ines,2\n"


@pytest.fixture
def query(collection):
    DocumentFactory(collection=collection, docno="d1")
    paper = DocumentFactory(
        collection=collection, docno="q", sentences=["We fly."], labels=["method"]
    )
    return create_query(collection=collection, docno=paper.docno, facet_key="method")


IMPORTS = {
    "documents": ("import-documents", "CISI.ALL", DOCUMENTS, {}, "On &lt;wings&gt;"),
    "topics": ("import-topics", "t.tsv", "9\tWhich wings?\n", {"facet": "method"}, "Which wings?"),
    "judgments": ("import-judgments", "j.csv", PAIR, {}, "ines"),
    "runs": ("import-run", "r.run", "q Q0 d1 1 2.5 x\n", {"holds": "run"}, "2.5"),
}


def rows(collection):
    return (
        collection.documents.count(),
        collection.topics.count(),
        collection.runs.count(),
        collection.judgment_imports.count(),
    )


@pytest.mark.parametrize("kind", IMPORTS)
def test_the_first_rows_are_shown_before_the_files_are_imported(kind, collection, admin, query):
    page, name, content, more, shown = IMPORTS[kind]
    before = rows(collection)
    upload = SimpleUploadedFile(name, content.encode())
    admin.post(reverse(page, args=["small"]), {"file": upload, "dry_run": "check", **more})

    checked = done()
    card = admin.get(reverse("job", args=["small", checked.pk])).text
    assert (checked.state, checked.error, rows(collection)) == (State.SUCCEEDED, "", before)
    assert shown in card
    assert (sweep(), len(kept())) == (0, 1)

    address = reverse("import-checked", args=["small", checked.pk])
    assert address in card
    admin.post(address)

    assert (done().state, done().error, kept()) == (State.SUCCEEDED, "", [])
    assert rows(collection) != before
    assert address not in admin.get(reverse("job", args=["small", checked.pk])).text
    admin.post(address)
    assert Job.objects.filter(collection=collection).count() == 2


def test_a_job_that_checked_nothing_is_not_imported_again(collection, admin):
    upload = SimpleUploadedFile("a.tsv", b"1\tx\n")
    admin.post(reverse("import-documents", args=["small"]), {"file": upload})
    job = done()

    admin.post(reverse("import-checked", args=["small", job.pk]))

    assert Job.objects.count() == 1


def test_commands_show_the_first_rows(collection, tmp_path):
    path = tmp_path / "CISI.ALL"
    path.write_text(DOCUMENTS)
    out = StringIO()

    call_command("import_documents", "small", str(path), dry_run=True, stdout=out)

    assert "1\tOn <wings>\tThey fly.\n" in out.getvalue()
    assert "2 documents to import, read as smart." in out.getvalue()
    assert not Document.objects.exists()
