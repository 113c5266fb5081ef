"""The Celery application. Jobs are rows (see jobs/); a message only says "look at this row"."""

import logging
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("qrelsmith")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_the_format(loglevel: int | str | None = None, **_: Any) -> None:
    """Leave the log to `settings.LOGGING`. A connected function keeps Celery's own format away."""
    if loglevel:
        logging.getLogger("celery").setLevel(loglevel)
