"""The text that a Prometheus server reads: the counts of the processes, then the stored figures."""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.conf import settings
from django.db import Error as DatabaseTrouble
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from server.metrics.stored import Figures, recent_figures

CONTENT_TYPE = CONTENT_TYPE_LATEST
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


def write_metrics() -> bytes:
    """The metrics of all web processes of this machine, and of the database."""
    return _counts() + _stored()


def _counts() -> bytes:
    if FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _stored() -> bytes:
    registry = CollectorRegistry()
    registry.register(StoredFigures())
    return generate_latest(registry)


class StoredFigures(Collector):
    """The figures of the database. Without a database, only `qrelsmith_database_up` is there."""

    def collect(self) -> Iterator[Metric]:
        version = gauge("version", "The version of Qrelsmith.", "version")
        version.add_metric([settings.SOFTWARE_VERSION], 1)
        yield version
        try:
            figures = recent_figures.get()
        except DatabaseTrouble:
            yield value("database_up", "1 if the database answered.", 0)
            return
        yield value("database_up", "1 if the database answered.", 1)
        yield from families(figures)


def families(figures: Figures) -> Iterator[Metric]:
    jobs = gauge("jobs", "Jobs by kind and state.", "kind", "state")
    for key, count in figures.jobs.items():
        jobs.add_metric(key, count)
    yield jobs
    yield value("jobs_waiting", "Jobs that wait for a worker.", figures.waiting_jobs)
    yield value(
        "oldest_waiting_job_seconds",
        "Age of the oldest job that waits for a worker, 0 if none does.",
        figures.oldest_waiting_seconds,
    )
    yield value("slots", "Slots for judgments in open queries.", figures.slots)
    yield value("judged_slots", "Slots that have a judgment.", figures.judged_slots)
    yield value(
        "judgments_last_minute",
        "Judgments saved in the last minute, corrections too.",
        figures.judgments_last_minute,
    )
    workers = gauge("worker_seen_seconds", "Seconds since each worker was seen.", "worker")
    for name, seconds in figures.workers.items():
        workers.add_metric([name], seconds)
    yield workers
    sessions = figures.sessions
    if not sessions.connections:
        return
    connections = gauge("database_connections", "Sessions of PostgreSQL by state.", "state")
    for state, count in sessions.connections.items():
        connections.add_metric([state], count)
    yield connections
    yield value("lock_waits", "Sessions that wait for a lock now.", sessions.lock_waits)
    yield value(
        "longest_lock_wait_seconds",
        "Seconds that the longest of these waits.",
        sessions.longest_lock_wait_seconds,
    )


def gauge(name: str, explanation: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"qrelsmith_{name}", explanation, labels=labels)


def value(name: str, explanation: str, number: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"qrelsmith_{name}", explanation, value=number)
