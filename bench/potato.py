"""The same judging on Potato (Pei et al., EMNLP 2022), which a researcher would otherwise use.

300 pairs, two annotators for each, eight people. Its clients do what its own page does: save the answer, tell the
server to go on, get the next page. Potato is installed once, into an environment of its own in `var/`.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from bench.texts import abstracts

FOLDER = Path(__file__).resolve().parent.parent / "var" / "potato"
PAIRS, JUDGES, PEOPLE = 300, 2, 8
SHOWN = re.compile(r'id="instance_id"[^>]*value="([^"]*)"')
TASK = {  # YAML reads JSON
    "annotation_task_name": "bench",
    "task_dir": ".",
    "output_annotation_dir": "output",
    "data_files": ["pairs.jsonl"],
    "item_properties": {"id_key": "id", "text_key": "text"},
    "num_annotators_per_item": JUDGES,
    "max_annotations_per_user": PAIRS * JUDGES // PEOPLE,  # or everybody who starts at once is given every pair
    "require_password": False,
    "annotation_schemes": [
        {"annotation_type": "radio", "name": "grade", "description": "How similar?", "labels": ["0", "1", "2", "3"]}
    ],
}


def installed() -> Path:
    program = FOLDER / "bin" / "potato"
    if not program.exists():
        print("Installing Potato into var/potato, only once: a minute or two", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        subprocess.run([FOLDER / "bin" / "pip", "install", "-q", "potato-annotation"], check=True)
    return program


class Annotator:
    """A browser with its cookies over one kept connection."""

    def __init__(self, port: int, name: str) -> None:
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies: dict[str, str] = {}
        self.saved: list[str] = []
        self.request("POST", "/auth", urlencode({"email": name, "pass": ""}), "application/x-www-form-urlencoded")

    def request(self, method: str, path: str, body: str | None = None, kind: str = "application/json") -> str:
        headers = {"Cookie": "; ".join(f"{key}={value}" for key, value in self.cookies.items())}
        headers |= {"Content-Type": kind, "X-Potato-Navigation": "1"} if body is not None else {}
        self.link.request(method, path, body, headers)
        answer = self.link.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie", []):
            self.cookies.update([cookie.partition(";")[0].split("=", 1)])
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:200]}")
        return text

    def annotate_all(self) -> None:
        shown = SHOWN.search(self.request("GET", "/annotate"))
        while shown and shown[1] not in self.saved:
            grade = str(len(self.saved) % 4)
            answer = {"instance_id": shown[1], "annotations": {f"grade:{grade}": grade}, "span_annotations": []}
            self.request("POST", "/updateinstance", json.dumps(answer))
            self.saved.append(shown[1])
            self.request("POST", "/annotate", json.dumps({"action": "next_instance", "instance_id": shown[1]}))
            shown = SHOWN.search(self.request("GET", "/annotate"))


def arrive(port: int, name: str) -> Annotator:
    """Potato needs some seconds until it answers."""
    for _ in range(120):
        with suppress(OSError):
            return Annotator(port, name)
        time.sleep(0.5)
    raise RuntimeError("Potato did not start.")


def measure_potato(port: int) -> float:
    """Judgments a second of eight annotators together."""
    program = installed()
    with tempfile.TemporaryDirectory() as folder:
        texts = (f"{title} {' '.join(sentences)}" for _, title, sentences in abstracts(2 * PAIRS))
        pairs = zip(*[texts] * 2, strict=True)
        lines = [json.dumps({"id": f"p{number}", "text": " ".join(pair)}) for number, pair in enumerate(pairs)]
        (Path(folder) / "pairs.jsonl").write_text("\n".join(lines) + "\n")
        (Path(folder) / "config.yaml").write_text(json.dumps(TASK))
        command = [program, "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
        environment = {"HOME": folder, "PATH": os.environ["PATH"]}
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            people = [arrive(port, f"person{number}") for number in range(PEOPLE)]
            threads = [threading.Thread(target=person.annotate_all) for person in people]
            began = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            spent = time.perf_counter() - began
        finally:
            server.terminate()
            server.wait(timeout=20)
    saved = sum(len(person.saved) for person in people)
    assert saved == JUDGES * PAIRS, saved
    return saved / spent
