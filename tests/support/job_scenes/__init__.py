"""A queued job of each kind, on a small collection that has what the job reads.

`SCENES` has a function for each kind in `jobs.registry`.
"""

from __future__ import annotations

from collections.abc import Callable

from jobs.models import Job
from tests.support.job_scenes import corpus, evaluation, pooling

SCENES: dict[str, Callable[[], Job]] = {**corpus.SCENES, **pooling.SCENES, **evaluation.SCENES}
