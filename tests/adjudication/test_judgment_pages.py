import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from adjudication.models import JudgmentImport
from annotation.models import Judgment
from jobs.models import State
from jobs.services import run
from tests.adjudication.test_judgment_import import TWO, with_documents
from tests.support.uploading import done, kept

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def collection():
    return with_documents()


@pytest.fixture
def send(client, collection):
    client.force_login(collection.memberships.get(role="admin").user)

    def post(text: str, second: str = "", **values):
        files = [SimpleUploadedFile("judgments.csv", text.encode())]
        if second:
            files.append(SimpleUploadedFile("decisions.csv", second.encode()))
        return client.post(reverse("import-judgments", args=["fresh"]), {"file": files, **values})

    return post


def test_an_upload_is_imported_by_a_job(send, client):
    answer = send(TWO, "query,docno,adjudicator,grade\nq1_method,d1,kim,3\n")

    job = done()
    assert answer.url == reverse("job", args=["fresh", job.pk])
    assert job.state == State.SUCCEEDED
    assert (job.result["judgments"], job.result["decisions"]) == (2, 1)
    assert not kept()
    page = client.get(reverse("import-judgments", args=["fresh"])).content.decode()
    assert "decisions.csv, judgments.csv" in page


def test_a_job_that_runs_twice_imports_once(send):
    send(TWO)
    job = done()
    run(job.pk)
    assert Judgment.objects.count() == 2
    assert JudgmentImport.objects.count() == 1


def test_only_checking_changes_nothing(send):
    send(TWO, dry_run="check")
    job = done()
    assert (job.result["judgments"], job.result["dry_run"]) == (2, True)
    assert not Judgment.objects.exists()


def test_labels_and_fields_can_be_named(send):
    text = TWO.replace(",2,", ",near,").replace("query", "topic").replace("docno", "paper")
    send(text, labels="near=2\n", query_field="topic", docno_field="paper")
    assert done().state == State.SUCCEEDED


def test_prefixes_are_put_before_the_ids(send):
    text = TWO.replace("q1_method,d1", "1_method,1")
    send(text, "query,docno,adjudicator,grade\n1,1,kim,3\n", docno_prefix="d", topic_prefix="q")
    job = done()
    assert (job.error, job.result["judgments"], job.result["decisions"]) == ("", 2, 1)


def test_an_invalid_file_fails_with_its_line(send):
    send(TWO.replace(",2,", ",9,"))
    job = done()
    assert job.state == State.FAILED
    assert "judgments.csv:2: " in job.error
    assert not Judgment.objects.exists()


def test_an_invalid_meaning_of_a_label_is_refused_before_the_upload(send):
    answer = send(TWO, labels="near")
    assert answer.status_code == 422
    assert "Invalid meaning of a label" in answer.content.decode()
    assert not kept()


def test_one_import_at_a_time(send):
    send(TWO)
    answer = send(TWO.replace("mara", "otto"))
    assert answer.status_code == 422
    assert "judgments.csv is being imported" in answer.content.decode()


def test_the_page_asks_the_same_queries_for_many_imports(
    client, collection, django_assert_num_queries
):
    client.force_login(collection.memberships.get(role="admin").user)
    address = reverse("import-judgments", args=["fresh"])
    client.get(address)
    counts = []
    for number in (1, 5):
        for _ in range(number):
            JudgmentImport.objects.create(
                collection=collection, files={"a.csv": "0"}, judgments=1, decisions=0
            )
        with django_assert_num_queries(12, exact=False) as queries:
            client.get(address)
        counts.append(len(queries))
    assert counts[0] == counts[1]
