"""Import it to have loaded what a worker needs, without a connection to anything."""

import os
from importlib import import_module

import django
from django.utils.module_loading import autodiscover_modules

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
for name in (
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.worker.consumer",
    "kombu.transport.redis",
    "config.celery",
    "config.urls",  # which a worker's system check imports, with all pages
    "jobs.filesystem_broker",
):
    import_module(name)
autodiscover_modules("tasks")
