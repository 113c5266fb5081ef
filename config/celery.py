"""The Celery application. Jobs are rows (see jobs/); a message only says "look at this row"."""

import logging
import os
import sys
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

path = sys.path.copy()
app = Celery("qrelsmith")
# Celery puts the working directory first. A folder such as `demo` there would replace ours, so ours
# come before. The program `celery` has only its own folder on the path.
sys.path[:] = [str(Path(__file__).resolve().parent.parent), *path]
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_the_format(loglevel: int | str | None = None, **_: Any) -> None:
    """Leave the log to `settings.LOGGING`. A connected function keeps Celery's own format away."""
    if loglevel:
        logging.getLogger("celery").setLevel(loglevel)
