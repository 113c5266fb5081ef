"""Settings of gunicorn: `gunicorn --config python:config.gunicorn config.wsgi`.

Its log has the format of all others. Its web processes count requests in files of one folder, which
is made at its start, because counts of earlier processes would be added to theirs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from config.settings import LOGGING, METRICS_ADDRESSES, METRICS_TOKEN

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client reads it when it is imported

# `server.access` writes the lines about requests. Gunicorn's own have paths and queries.
accesslog = None
logconfig_dict: dict[str, Any] = {
    **LOGGING,
    "loggers": {
        **LOGGING["loggers"],  # type: ignore[dict-item]
        "gunicorn.error": {"level": "INFO", "handlers": ["stderr"], "propagate": False},
        "gunicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
    },
}
_made: list[str] = []


def on_starting(server: Any) -> None:
    if (METRICS_TOKEN or METRICS_ADDRESSES) and FOLDER not in os.environ:
        _made.append(tempfile.mkdtemp(prefix="qrelsmith-metrics-"))
        os.environ[FOLDER] = _made[0]


def on_exit(server: Any) -> None:
    for folder in _made:
        shutil.rmtree(folder, ignore_errors=True)
