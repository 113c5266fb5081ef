"""A model that answers at once, as an HTTP server: `python -m bench.later.model_server PORT`."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = json.dumps(
    {
        "model": "bench",
        "choices": [{"message": {"content": '{"grade": 1}'}, "finish_reason": "stop"}],
        # 1 for a request, at the price of 1 for a million tokens of the prompt.
        "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0},
    }
).encode()


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *given: object) -> None:
        """Log no request, so that the server costs little."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
