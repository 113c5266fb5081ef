"""The numbers of the request and of the job that a thread works for. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
job_id: ContextVar[str] = ContextVar("job_id", default="")


@contextmanager
def in_job(number: object) -> Iterator[None]:
    """Every line of the log within the block has the number of the job."""
    token = job_id.set(str(number))
    try:
        yield
    finally:
        job_id.reset(token)
