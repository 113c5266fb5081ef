"""The one Celery task, and the reaper that each worker runs beside it."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import Error as DatabaseError
from django.db import connection

from jobs import health, work

logger = logging.getLogger(__name__)
REAP_SECONDS = 20


@shared_task(name="jobs.run")
def run_job(job_id: str) -> None:
    work.run(job_id)


@worker_ready.connect
def start_reaper(**_: Any) -> None:
    def keep_reaping() -> None:
        while True:
            try:
                work.reap()
            except DatabaseError as error:
                logger.warning("reaper: %s", error)
            health.tried(health.give_sign)
            connection.close()
            time.sleep(REAP_SECONDS)

    threading.Thread(target=keep_reaping, name="reaper", daemon=True).start()
