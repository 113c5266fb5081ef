"""Formatters of the log: a JSON object a line, or a line of text. Pure.

The message of a guarded line has no path, no content of an exception and no argument of a task,
because paths have names and one-time links, and exceptions have rows.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from web.logs.context import job_id, request_id
from web.logs.descriptions import chain, describe, places

LEFT_OUT = "(left out)"
NO_ROUTE = "(no such address)"
# Celery's lines about a task carry these as text.
OF_TASKS = ("exc", "traceback", "args", "kwargs", "return_value", "description")
SECURITY = "django.security."
FROM_A_CLIENT = " from ip="  # gunicorn's "Invalid request from ip=…" repeats what the client sent


class JsonLines(logging.Formatter):
    """Each line is a JSON object. docs/observing.md lists its fields."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": guarded_message(record),
            **_numbers(),
            **getattr(record, "fields", {}),
        }
        error = _error_of(record)
        if error is not None:
            fields["error"] = [describe(cause) for cause in chain(error)]
            fields["places"] = places(error)
        return json.dumps(fields, ensure_ascii=False)


class TextLines(logging.Formatter):
    """Each line is text. A guarded one has as little content as a JSON object."""

    def __init__(self, *, guarded: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self.guarded = guarded

    def format(self, record: logging.LogRecord) -> str:
        numbers = "".join(f" {name}={value}" for name, value in _numbers().items())
        if not self.guarded:
            return super().format(record) + numbers
        safe = logging.makeLogRecord(
            {**record.__dict__, "msg": guarded_message(record), "args": None, "exc_info": None}
        )
        safe.exc_text = safe.stack_info = None
        lines = [super().format(safe) + numbers]
        error = _error_of(record)
        if error is not None:
            lines += [f"  {describe(cause)}" for cause in chain(error)]
            lines += [f"    {place}" for place in places(error)]
        return "\n".join(lines)


def guarded_message(record: logging.LogRecord) -> str:
    """The message without what people wrote."""
    if record.name.startswith(SECURITY):
        return f"Suspicious request: {record.name.removeprefix(SECURITY)}"
    if record.name == "gunicorn.error":
        template = str(record.msg).partition(FROM_A_CLIENT)[0]
        arguments: Any = _without_paths(record.args)
    else:
        template, arguments = str(record.msg), _guarded_arguments(record)
    try:
        return template % arguments if arguments else template
    except (TypeError, ValueError):  # a call with other arguments than its message has places
        return template


def _without_paths(arguments: Any) -> Any:
    if not isinstance(arguments, tuple):
        return arguments
    return tuple(
        describe(each)
        if isinstance(each, BaseException)
        else LEFT_OUT
        if isinstance(each, str) and each.startswith("/")
        else each
        for each in arguments
    )


def _guarded_arguments(record: logging.LogRecord) -> Any:
    if isinstance(record.args, dict):
        return {
            name: LEFT_OUT if name in OF_TASKS else _guarded(value, record)
            for name, value in record.args.items()
        }
    return tuple(_guarded(value, record) for value in record.args or ())


def _guarded(value: object, record: logging.LogRecord) -> object:
    if isinstance(value, BaseException):
        return describe(value)
    request = getattr(record, "request", None)
    path = getattr(request, "path", None)
    if isinstance(value, str) and path and value in (path, _escaped(path)):
        return route_of(request)
    return value


def _escaped(path: str) -> str:
    """The path as Django's `log_response` writes it."""
    return path.encode("unicode_escape").decode("ascii")


def route_of(request: Any) -> str:
    """The name of the address that a request asked for, which has no value of the request."""
    match = getattr(request, "resolver_match", None)
    return (match.view_name if match else "") or NO_ROUTE


def _error_of(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if isinstance(record.exc_info, tuple) else None


def _numbers() -> dict[str, str]:
    numbers = {"request_id": request_id.get(), "job_id": job_id.get()}
    return {name: value for name, value in numbers.items() if value}
