"""The log as production writes it, of this process, as text."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import ROOT

PRODUCTION = {
    "QRELSMITH_MODE": "production",
    "ALLOWED_HOSTS": "qrelsmith.example",
    "LOG_LEVEL": "DEBUG",
}


@contextmanager
def production_log(data_dir: Path, **environment: str) -> Iterator[io.StringIO]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**PRODUCTION, "DATA_DIR": str(data_dir), **environment}.items():
            patch.setenv(name, value)
        logging_settings = runpy.run_path(str(ROOT / "config" / "settings.py"))["LOGGING"]
    written = io.StringIO()
    logging_settings["handlers"]["stderr"]["stream"] = written
    names = [None, *logging_settings["loggers"], "django"]
    before = [(logger, *_state_of(logger)) for logger in map(logging.getLogger, names)]
    logging.config.dictConfig(logging_settings)
    try:
        yield written
    finally:
        for logger, level, handlers, propagate in before:
            logger.setLevel(level)
            logger.handlers[:] = handlers
            logger.propagate = propagate


def _state_of(logger: logging.Logger) -> tuple[int, list[logging.Handler], bool]:
    return logger.level, list(logger.handlers), logger.propagate


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
