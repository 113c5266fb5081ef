"""Each kind of job succeeds while its heart beats every 20 ms and its rows come slowly.

Another connection writes the heartbeats. On SQLite, a connection that is reading rows one by one
cannot write after that, so the heartbeat must write the job's progress, too.
"""

from __future__ import annotations

from itertools import islice

import pytest

from config.celery import app
from dashboard.settings.archiving import DELETION_KIND
from jobs import registry
from jobs.models import Job, State
from jobs.services import claim, work
from release.proofs.blindness import addresses
from tests.support.job_scenes import SCENES
from tests.support.slow_reading import REPORTS, ImpatientLease, reading_slowly


def test_every_kind_of_job_has_a_scene():
    app.loader.import_default_modules()
    kinds = {kind for kind in registry._handlers if not kind.startswith("tests.")}
    assert SCENES.keys() == kinds


@pytest.mark.faults
@pytest.mark.by_day(6)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", SCENES)
def test_a_job_ends_at_its_first_attempt_although_each_row_takes_a_heartbeat(
    kind, settings, monkeypatch
):
    some_routes = list(islice(addresses.routes(), 10))
    monkeypatch.setattr(addresses, "routes", lambda: some_routes)  # for check_blindness
    settings.JOB_HEARTBEAT_SECONDS = 0.02
    settings.MODEL_ADDRESSES = []  # a scene changes it; the fixture restores it
    job = SCENES[kind]()
    assert job.kind == kind
    assert claim(job.pk) is not None
    lease = ImpatientLease.of(Job.objects.select_related("collection").get(pk=job.pk))

    with reading_slowly(lease):
        work(lease)

    ended = Job.objects.filter(pk=job.pk).values_list("state", "error", "attempts")
    is_deletion = kind == DELETION_KIND  # it deletes its own row, too
    assert list(ended) == ([] if is_deletion else [(State.SUCCEEDED, "", 1)])
    assert lease.beats >= REPORTS
