"""A job that a benchmark lets a worker do: what is told of its end and of its transactions."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import transaction
from django.utils import timezone

from bench.processes import ROOT, computing_of, peak_of
from bench.transactions import longest_transaction, read_longest
from bench.worker import end_of
from database.consistent_reads import consistent_read
from jobs.models import Job, State


@pytest.fixture
def job(collection) -> Job:
    return collection.jobs.create(kind="evaluate", key="evaluate", parameters={})


def end(job: Job, state: str, attempts: int, error: str = "") -> None:
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(
        state=state, attempts=attempts, error=error, started_at=now, finished_at=now
    )


@pytest.mark.django_db
def test_the_end_of_a_job_has_its_own_seconds_and_one_attempt(job):
    end(job, State.SUCCEEDED, 1)
    assert end_of(job) == {"seconds": 0.0, "attempts": 1}


@pytest.mark.django_db
@pytest.mark.parametrize(("state", "attempts"), [(State.FAILED, 1), (State.SUCCEEDED, 2)])
def test_a_job_that_failed_or_was_tried_twice_ends_the_step(job, state, attempts):
    end(job, state, attempts, "the disk is full")
    with pytest.raises(SystemExit, match=f"evaluate: {state}, attempt {attempts}: the disk"):
        end_of(job)


@pytest.mark.django_db(transaction=True)
def test_the_longest_transaction_is_part_of_the_time_that_passed():
    start = time.perf_counter()
    with longest_transaction() as longest:
        assert longest == [0.0]
        with transaction.atomic():
            pass
    assert 0 < longest[0] <= time.perf_counter() - start


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_only_reads_keeps_no_writer_waiting_on_sqlite(on_sqlite):
    with longest_transaction() as longest:
        with consistent_read():
            assert not Job.objects.exists()
        assert longest == [0.0]


def test_the_longest_transaction_of_a_worker_is_that_of_any_of_its_processes(tmp_path):
    assert read_longest(tmp_path) == 0
    for pid, seconds in ((1, 0.25), (2, 1.5)):
        (tmp_path / f"{pid}.seconds").write_text(str(seconds))
    assert read_longest(tmp_path) == 1.5


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_processes_have_a_peak_and_computing_time_and_ended_ones_none():
    pid, ended = os.getpid(), 2**22 + 1
    assert peak_of(pid) > 2**20
    assert computing_of([pid, ended]) >= computing_of([ended]) == 0
    assert peak_of(ended) == 0


def test_a_terminated_benchmark_ends_the_processes_that_it_started(tmp_path):
    code = """
import sys
from pathlib import Path
from bench.processes import exit_on_sigterm, started
exit_on_sigterm()
with started(["sleep", "60"], {}, Path(sys.argv[1])) as process:
    print(process.pid, flush=True)
    process.wait()
"""
    command = [sys.executable, "-c", code, str(tmp_path / "log")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as benchmark:
        child = int(benchmark.stdout.readline())
        benchmark.terminate()
        assert benchmark.wait() == 143
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
