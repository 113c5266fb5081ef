"""Run the scripts of a page of the docs against a live server."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import services
from jobs.models import Job
from tests.support.api_world import token_of


def scripts_of(
    page: str, server: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], None]:
    """Runs a script as a user, in the folder; a script that waits runs the jobs."""

    def work(_seconds: float) -> None:
        for job in Job.objects.filter(state="queued"):
            services.run(job.pk)

    def run(username: str, script: str) -> None:
        monkeypatch.setenv("QRELSMITH_TOKEN", token_of(username))
        exec(compile(script, page, "exec"), {"__name__": "page"})

    monkeypatch.setattr(time, "sleep", work)
    monkeypatch.setenv("QRELSMITH_URL", server)
    monkeypatch.chdir(folder)
    return run
