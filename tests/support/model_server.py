"""A real HTTP server that speaks OpenAI's chat protocol, as well or as badly as a test asks for."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Answered(NamedTuple):
    """What the server does with a request. With `cut`, it closes after so many bytes of the body.

    With `until`, it first waits for the event, and with `delay` that many seconds.
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    cut: int | None = None
    until: threading.Event | None = None
    delay: float = 0.0


class Received(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])


def completion(
    text: str | None = '{"grade": 2}',
    *,
    tokens: tuple[int, int] | None = (100, 10),
    finish_reason: str = "stop",
    **message: Any,
) -> bytes:
    answer: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "model": "tiny-1-2026",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": finish_reason,
            }
        ],
    }
    if tokens:
        answer["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return json.dumps(answer).encode()


def says(text: str | None = '{"grade": 2}', **values: Any) -> Answered:
    return Answered(completion(text, **values))


def refuses(status: int, text: str = "", **headers: str) -> Answered:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answered(json.dumps({"error": {"message": text}}).encode(), status, named)


Script = Callable[[int, Received], Answered]  # the number of the request counts from 1


@dataclass
class ModelServer:
    script: Script
    requests: list[Received] = field(default_factory=list)
    most_at_once: int = 0
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def answer(self, received: Received) -> Answered:
        with self._lock:
            self.requests.append(received)
            number = len(self.requests)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        answered = self.script(number, received)
        if answered.until:
            answered.until.wait(30)
        time.sleep(answered.delay)
        with self._lock:
            self._at_once -= 1
        return answered


@contextmanager
def model_server(script: Script = lambda number, received: says()) -> Iterator[ModelServer]:
    """A server on a free port of this machine. `url` is the base URL."""
    model = ModelServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answered = model.answer(Received(self.path, headers, body, time.monotonic()))
            self.send_response(answered.status)
            for name, value in answered.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answered.body)))
            self.end_headers()
            try:
                self.wfile.write(answered.body[: answered.cut])
            except OSError:
                self.close_connection = True  # the client went away
            if answered.cut is not None:
                self.close_connection = True

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
