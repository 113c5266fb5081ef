"""Freezes a worker in its first import of judgments, after the first query, before the commit.

Only the worker may import this: `start_worker(include="tests.support.frozen_imports")`.
"""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any, cast

from django.conf import settings

from adjudication.judgment_import.uploads import JUDGMENTS_KIND
from adjudication.tasks import run_import_judgments
from jobs import registry
from jobs.lease import Lease
from jobs.models import Job

FROZEN = "frozen"  # the file in DATA_DIR that shows that the worker is frozen


class FreezingLease:
    """A lease whose worker is frozen when the first query has been written."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lease, name)

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        self._lease.progress(done, total, note)
        if (done, note) == (1, "queries imported"):
            Path(settings.DATA_DIR, FROZEN).touch()
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


@registry.handles(JUDGMENTS_KIND, title="Import judgments", page="board", reads=("path",))
def import_and_freeze(lease: Lease) -> dict[str, Any]:
    is_first = Job.objects.get(pk=lease.job_id).attempts == 1
    return run_import_judgments(cast("Lease", FreezingLease(lease)) if is_first else lease)
