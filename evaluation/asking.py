"""Asking a model over OpenAI's chat protocol, and reading the grade in its answer. Knows no database.

Addresses are the setting MODEL_ADDRESSES, `name=url,…`: an admin chooses one and never types one, so nobody can make
the server send requests, or a key, to a host of their own. The key of the address `local-gpu` is the environment
variable MODEL_KEY_LOCAL_GPU. It is read when a job begins, and removed from whatever the server says.
"""

from __future__ import annotations

import html
import http.client
import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings

from evaluation.models import Problem
from web.errors import BadInput, Conflict

TIMEOUT_SECONDS = 120.0  # of one answer: a large model on a CPU takes a minute
LONGEST_BODY = 2_000_000  # bytes
LONGEST_ANSWER = 100_000  # characters that are kept
LONGEST_ERROR = 300
REMOVED = "[key removed]"
OF_THE_REQUEST = {400, 413, 415, 422}  # such as a text that is too long: another request may pass
PASSES = {408, 429}  # beside 500 and above: the same request may succeed later

GRADE = re.compile(r"\{[^{}]*\}|final score\W*(?P<umbrela>-?\d+(?:\.\d+)?)", re.IGNORECASE | re.ASCII)
NUMBER = re.compile(r"\s*-?\d+\s*", re.ASCII)


class TryAgain(Exception):
    """No answer, but the same request may get one. `wait` are the seconds that the server asks for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class Answer(NamedTuple):
    """Text as it came, without the key; `problem` is "" where it may hold a grade."""

    text: str
    problem: str = ""


class Address(NamedTuple):
    url: str
    key: str


def addresses() -> dict[str, str]:
    """The base URLs that may be asked, by name."""
    found = {}
    for entry in settings.MODEL_ADDRESSES:
        name, _, url = entry.strip().partition("=")
        parts = urlsplit(url)
        if re.fullmatch(r"[a-z0-9-]{1,50}", name) and parts.scheme in ("http", "https") and "@" not in parts.netloc:
            found[name] = url.rstrip("/")
    return found


def address_named(name: str) -> Address:
    url = addresses().get(name)
    if url is None:
        known = ", ".join(addresses()) or "none"
        raise BadInput(f"There is no address {name!r} on this server. MODEL_ADDRESSES has {known}.")
    variable = f"MODEL_KEY_{name.upper().replace('-', '_')}"
    key = os.environ.get(variable, "").strip()
    if not re.fullmatch(r"[!-~]*", key):  # a header cannot have it, and the error of the library would print it
        raise BadInput(f"{variable} has a space or a character that is not ASCII.")
    return Address(url, key)


class NoRedirect(HTTPRedirectHandler):
    """A redirect would send the key to a host that nobody allowed."""

    def redirect_request(self, *_: Any) -> None:
        return None


OPENER = build_opener(NoRedirect)


def ask(address: Address, model: str, parameters: Mapping[str, Any], prompt: str) -> Answer:
    """Send one request. Raises TryAgain, or Conflict where the server will refuse every other request, too."""
    body = {**parameters, "model": model, "messages": [{"role": "user", "content": prompt}]}
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "qrelsmith"}
    if address.key:
        headers["Authorization"] = f"Bearer {address.key}"
    request = Request(f"{address.url}/chat/completions", json.dumps(body).encode(), headers)
    try:
        with OPENER.open(request, timeout=TIMEOUT_SECONDS) as response:
            return read_completion(_read(response), address.key)
    except HTTPError as error:
        return _refused(error, address.key)
    except (OSError, http.client.HTTPException) as error:  # refused, broken off, timed out
        reason = without_key(str(getattr(error, "reason", "") or error), address.key)
        raise TryAgain(f"{type(error).__name__}: {reason}"[:LONGEST_ERROR]) from None


def _read(response: Any) -> str:
    """The whole body in time: a server that sends it byte by byte is cut off."""
    ends, content = time.monotonic() + TIMEOUT_SECONDS, b""
    while len(content) <= LONGEST_BODY and (part := response.read1(65_536)):
        content += part
        if time.monotonic() > ends:
            raise TimeoutError(f"no answer within {TIMEOUT_SECONDS:g} seconds")
    return content.decode("utf-8", "replace")


def _refused(error: HTTPError, key: str) -> Answer:
    text = ""
    with suppress(OSError, http.client.HTTPException):
        text = _read(error).strip()
    said = f"{error.code}: {kept(text or str(error.reason), key)[:LONGEST_ERROR]}"
    if error.code in OF_THE_REQUEST:
        return Answer(said, Problem.REJECTED)
    if (error.code in PASSES or error.code >= 500) and "insufficient_quota" not in text:
        wait = re.fullmatch(r"\d+(\.\d+)?", error.headers.get("Retry-After", "").strip(), re.ASCII)
        raise TryAgain(said, float(wait[0]) if wait else 0.0)
    raise Conflict(f"The server refuses: {said}")


def read_completion(body: str, key: str) -> Answer:
    try:
        choice = json.loads(body)["choices"][0]
        content, refusal = choice["message"].get("content"), choice["message"].get("refusal")
        text = "" if content is None and refusal is None else content or refusal or ""
        if not isinstance(text, str):
            raise TypeError
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Answer(kept(body, key), Problem.UNREADABLE)
    ended = choice.get("finish_reason")
    if refusal or ended == "content_filter":
        return Answer(kept(text, key), Problem.REFUSED)
    return Answer(kept(text, key), Problem.CUT_OFF if ended == "length" else "")


def kept(text: str, key: str) -> str:
    """Text as a row can keep it: without the key, NUL and half characters."""
    storable = without_key(text, key).encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return storable[:LONGEST_ANSWER]


def without_key(text: str, key: str) -> str:
    """Where the key is there in an escaped form, nothing of the text stays."""
    if not key:
        return text
    text = re.sub(re.escape(key), REMOVED, text, flags=re.IGNORECASE)
    decoded = (unquote(text), html.unescape(text), re.sub(r"\\u([0-9a-fA-F]{4})", _character, text))
    return REMOVED if any(key.casefold() in each.casefold() for each in decoded) else text


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


def read_grade(answer: Answer, highest: int) -> tuple[int | None, str]:
    """The one grade in an answer, or None and the problem. An answer that leaves a doubt has no grade.

    A JSON object such as {"grade": 2} anywhere in the text, UMBRELA's "final score: 2", or nothing but a number. Two
    are a problem, even if equal: one may be quoted from the document.
    """
    if answer.problem:
        return None, answer.problem
    if not answer.text.strip():
        return None, Problem.EMPTY
    found: list[object] = []
    for match in GRADE.finditer(answer.text):
        with suppress(ValueError, RecursionError):
            read = json.loads(match["umbrela"] or match[0], object_pairs_hook=list)
            found += [value for name, value in read if name == "grade"] if isinstance(read, list) else [read]
    if not found and NUMBER.fullmatch(answer.text) and len(answer.text) < 20:
        found = [int(answer.text)]
    if len(found) != 1:
        return None, Problem.SEVERAL if found else Problem.NO_GRADE
    (grade,) = found
    if type(grade) is not int:  # a bool is an int, too
        return None, Problem.NO_GRADE
    return (grade, "") if 0 <= grade <= highest else (None, Problem.OFF_SCALE)
