"""The Celery application. Jobs are rows (see jobs/); a message only says "look at this row"."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("qrelsmith")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
