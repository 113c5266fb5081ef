"""The import of other formats by command, page and API."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.documents.importing import import_documents
from jobs.context import DirectRun
from jobs.models import Job, State
from tests.support.factories import a_collection
from tests.support.uploading import done, kept
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
TREC = "<doc><docno>1</docno><title>T</title><text>a wing . it flies .</text></doc>"


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.xml").write_text(TREC)
    (tmp_path / "b.tsv").write_text("2\tOne. Two.\n")
    return [str(tmp_path / "a.xml"), str(tmp_path / "b.tsv")]


def test_the_command_imports_several_files_and_names_their_formats(collection, files, capsys):
    call_command("import_documents", "small", *files, prefix="cran-")

    assert set(collection.documents.values_list("docno", flat=True)) == {"cran-1", "cran-2"}
    assert "read as trec, tsv." in capsys.readouterr().out


def test_the_command_takes_the_columns_of_a_table(collection, tmp_path):
    path = tmp_path / "papers.csv"
    path.write_text("key,body\nd1,One. Two.\n")

    call_command("import_documents", "small", str(path), columns="docno=key,text=body")

    assert collection.documents.get().sentences == ["One.", "Two."]


def test_a_prefix_with_a_space_is_refused(collection, files):
    with pytest.raises(CommandError, match="must not contain white space"):
        call_command("import_documents", "small", files[0], prefix="a b")


def test_the_same_file_twice_changes_nothing(collection, files, tmp_path):
    for _ in range(2):
        report = import_documents(collection=collection, path=tmp_path / "a.xml", work=DirectRun())

    assert (report.created, report.unchanged, report.read_as) == (0, 1, "trec")


def test_the_page_queues_a_format_columns_and_a_prefix(collection):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    address = reverse("import-documents", args=["small"])
    sent = {"format": "csv", "columns": "docno=key", "prefix": "x-"}

    client.post(
        address, {**sent, "docno_prefix": "x-", "file": SimpleUploadedFile("a.csv", b"key\n1\n")}
    )

    parameters = Job.objects.get().parameters
    assert {name: parameters[name] for name in sent} == sent


def test_the_page_explains_a_wrong_mapping(collection):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    upload = SimpleUploadedFile("a.csv", b"key\n1\n")

    page = client.post(
        reverse("import-documents", args=["small"]), {"columns": "docno", "file": upload}
    )

    assert page.status_code == 422
    assert "names no column" in page.text


def test_several_files_of_the_page_are_one_import_in_the_order_of_their_names(collection):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)

    def send(*files):
        sent = [SimpleUploadedFile(name, content) for name, content in files]
        return client.post(reverse("import-documents", args=["small"]), {"file": sent})

    files = [
        ("p10.tsv", b"c\tThree.\n"),
        ("p9.jsonl", b'{"docno": "b", "title": "", "abstract": ""}'),
        ("p9.jsonl", b'{"docno": "a", "title": "", "abstract": ""}'),
    ]
    send(*files)

    job = done()
    assert (job.state, job.error, kept()) == (State.SUCCEEDED, "", [])
    assert job.parameters["filename"] == "p9.jsonl, p9.jsonl, p10.tsv"
    assert list(collection.documents.order_by("pk").values_list("docno", flat=True)) == [*"bac"]

    send(("p11.tsv", b"c\tFour.\n"), *files)

    job = done()
    assert (job.state, len(kept())) == (State.FAILED, 4)
    assert "p11.tsv:1: docno is c, which is already in p10.tsv:1" in job.error
    page = client.get(reverse("jobs", args=["small"])).text
    assert "p9.jsonl, p9.jsonl, p10.tsv and 1 more" in page
    kept()[0].unlink()
    client.post(reverse("try-job-again", args=["small", job.pk]))
    assert Job.objects.count() == 2

    page = send(*files, ("empty.tsv", b""))

    assert page.status_code == 422
    assert "empty.tsv: This file is empty." in page.text
