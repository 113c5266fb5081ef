"""The Celery application. Long work is a row (jobs/models.py); a message only says that one waits."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["folder"] = "jobs.broker:Transport"  # kombu takes no module's name in a broker's address
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("qrelsmith")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
