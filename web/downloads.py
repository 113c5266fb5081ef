"""Files that a browser saves, and the JSON in them."""

from __future__ import annotations

import json
from typing import TypeVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

Response = TypeVar("Response", bound=HttpResponseBase)


def as_download(response: Response, filename: str) -> Response:
    """The response, which a browser saves under this name."""
    disposition = content_disposition_header(True, filename) or "attachment"
    response.headers["Content-Disposition"] = disposition
    return response


def name_in_file(name: str) -> str:
    """A docno or a query's name as a part of the name of a file: it may hold slashes."""
    return name.replace("/", "-")


def text_download(content: str, content_type: str, filename: str) -> HttpResponse:
    response = HttpResponse(content, content_type=f"{content_type}; charset=utf-8")
    return as_download(response, filename)


def json_text(payload: object) -> str:
    """Sorted, because PostgreSQL keeps no order of keys: the same text on every database."""
    return json.dumps(payload, indent=2, sort_keys=True, ensure_ascii=False)


def json_download(payload: object, filename: str) -> HttpResponse:
    return text_download(f"{json_text(payload)}\n", "application/json", filename)
