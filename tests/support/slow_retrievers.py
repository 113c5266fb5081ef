"""For a worker process: a run takes long enough that two can be seen to be made at once."""

from __future__ import annotations

import time
from typing import Any

from jobs import registry
from jobs.lease import Lease
from retrieval import tasks

SECONDS = 2.0


@registry.handles("retrieve", title="Rank the query papers, slowly", page="runs")
def retrieve(lease: Lease) -> dict[str, Any]:
    time.sleep(SECONDS)
    return tasks.retrieve(lease)
