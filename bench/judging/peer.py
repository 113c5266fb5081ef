"""The same work on Potato (Pei et al., 2022), which a researcher would otherwise use.

Install it with `pip install potato-annotation` in an environment of its own. Its program `potato`
is run with a task of 300 pairs and two annotators for each. The clients do what its own page does:
save the answer, tell the server to go on, and get the next page.
"""

from __future__ import annotations

import http.client
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.corpus import papers
from bench.judging.annotators import in_threads
from bench.judging.browser import Answer, Browser
from bench.processes import free_port, started, wait_until

ITEMS, PER_ITEM = 300, 2
JSON = {"Content-Type": "application/json", "X-Potato-Navigation": "1"}
INSTANCE = re.compile(r'id="instance_id"[^>]*value="([^"]*)"')
# YAML reads JSON.
TASK = {
    "annotation_task_name": "bench",
    "task_dir": ".",
    "output_annotation_dir": "output",
    "data_files": ["items.jsonl"],
    "item_properties": {"id_key": "id", "text_key": "text"},
    "num_annotators_per_item": PER_ITEM,
    "require_password": False,
    "annotation_schemes": [
        {
            "annotation_type": "radio",
            "name": "grade",
            "description": "How similar are the two papers?",
            "labels": ["0", "1", "2", "3"],
        }
    ],
}


class PeerResult(NamedTuple):
    value: str
    note: str


@dataclass
class PeerAnnotator:
    """An annotator in Potato who answers as fast as the server responds."""

    name: str
    browser: Browser
    seconds: list[float] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)  # ids of items
    problems: list[str] = field(default_factory=list)

    def annotate(self, ends: float) -> None:
        page = self.browser.get("/annotate")
        while time.perf_counter() < ends:
            found = INSTANCE.search(page.text)
            if not found or page.path.partition("?")[0] != "/annotate":
                return  # nothing is left for this annotator
            start = time.perf_counter()
            answer = str(len(self.saved) % 4)
            saved = self._send(
                "/updateinstance",
                {
                    "instance_id": found[1],
                    "annotations": {f"grade:{answer}": answer},
                    "span_annotations": [],
                },
            )
            if saved.status != 200 or '"error"' in saved.text:
                self.problems.append(f"{saved.status} {saved.text[:200]}")
                return
            self.saved.append(found[1])
            self._send("/annotate", {"action": "next_instance", "instance_id": found[1]})
            page = self.browser.get("/annotate")
            self.seconds.append(time.perf_counter() - start)
            following = INSTANCE.search(page.text)
            if following and following[1] == found[1]:
                return  # the last item of this annotator stays on the page

    def _send(self, path: str, content: dict[str, object]) -> Answer:
        return self.browser.post_text(path, json.dumps(content), JSON)


def measure(potato: Path, folder: Path, *, annotators: int, seconds: float) -> PeerResult:
    """Annotations per second, and items that more than two people annotated."""
    with tempfile.TemporaryDirectory(dir=folder) as task:
        _write_task(Path(task))
        port, log = free_port(), Path(task) / "potato.log"
        command = [potato, "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
        environment = {"HOME": task}
        with started([str(part) for part in command], environment, log, Path(task)) as process:
            wait_until(lambda: _answers(port), process, log)
            people = [PeerAnnotator(f"person{n}", Browser(port)) for n in range(annotators)]
            for person in people:
                person.browser.post("/auth", {"email": person.name, "pass": ""}, {})
            took = _together(people, seconds)
    return _result(people, took)


def _write_task(folder: Path) -> None:
    made = list(papers(2 * ITEMS, seed=7))
    with (folder / "items.jsonl").open("w") as file:
        for number, (query, candidate) in enumerate(zip(made[::2], made[1::2], strict=True)):
            text = " ".join([query.title, *query.sentences, candidate.title, *candidate.sentences])
            file.write(json.dumps({"id": f"item{number}", "text": text}) + "\n")
    (folder / "config.yaml").write_text(json.dumps(TASK))


def _answers(port: int) -> bool:
    try:
        return Browser(port).get("/").status == 200
    except (OSError, http.client.HTTPException):
        return False


def _together(people: Iterable[PeerAnnotator], seconds: float) -> float:
    began = time.perf_counter()
    in_threads(partial(_until_it_fails, person, began + seconds) for person in people)
    return time.perf_counter() - began


def _until_it_fails(person: PeerAnnotator, ends: float) -> None:
    try:
        person.annotate(ends)
    except (OSError, http.client.HTTPException) as error:
        person.problems.append(f"{type(error).__name__}: {error}")


def _result(people: Iterable[PeerAnnotator], took: float) -> PeerResult:
    by_item: dict[str, set[str]] = defaultdict(set)
    seconds: list[float] = []
    problems: list[str] = []
    for person in people:
        seconds += person.seconds
        problems += person.problems
        for item in person.saved:
            by_item[item].add(person.name)
    over = sum(len(names) > PER_ITEM for names in by_item.values())
    return PeerResult(
        f"{len(seconds) / took:.0f}/s, longest wait {max(seconds, default=0):.2f} s, "
        f"{over} of {ITEMS} over-annotated",
        "; ".join([f"Potato: {len(seconds)} answers in {took:.0f} s", *problems[:1]]),
    )
