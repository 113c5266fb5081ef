"""A worker that is killed in the middle of an import of judgments."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from adjudication.judgment_import import ImportOptions
from adjudication.judgment_import.uploads import request_judgments
from adjudication.models import JudgmentImport
from annotation.models import Judgment, Opening
from jobs.models import Job, State
from pooling.models import Pool
from tests.adjudication.test_judgment_import import HEADER, with_documents
from tests.support.running import wait_until
from tests.support.uploading import kept

LONG_ENOUGH = 60  # seconds; what is waited for takes a few on an idle machine


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
def test_the_next_worker_imports_everything_once(start_worker, settings):
    collection = with_documents(queries=("q1_method", "q2_method"))
    rows = [
        f"{query}_method,{docno},{person},2,,,\n"
        for query in ("q1", "q2")
        for docno in ("d1", "d2")
        for person in ("mara", "ines")
    ]
    files = [SimpleUploadedFile(f"{n}.csv", f"{HEADER}{rows[n]}".encode()) for n in range(8)]
    job = request_judgments(
        collection=collection,
        uploads=files,
        options=ImportOptions(),
        requested_by=collection.memberships.get(role="admin").user,
    )
    first = start_worker(include="tests.support.frozen_imports")
    frozen = Path(settings.DATA_DIR, "frozen")
    wait_until(frozen.exists, LONG_ENOUGH, "the import is in its middle")

    first.kill()

    job.refresh_from_db()
    assert (job.state, job.attempts, len(kept())) == (State.RUNNING, 1, 8)
    assert not Judgment.objects.exists()
    assert not Opening.objects.exists()
    start_worker()
    wait_until(lambda: not Job.objects.get(pk=job.pk).is_live, LONG_ENOUGH, "the job ends")
    job.refresh_from_db()
    assert (job.state, job.error, job.attempts) == (State.SUCCEEDED, "", 2)
    assert (job.result["judgments"], job.result["queries_opened"]) == (8, 2)
    assert (Judgment.objects.count(), JudgmentImport.objects.count()) == (8, 1)
    assert (Opening.objects.count(), Pool.objects.count()) == (2, 2)
    wait_until(lambda: not kept(), LONG_ENOUGH, "the files are removed")
