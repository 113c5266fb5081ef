"""Processes that measure the retrievers of a sub-corpus side by side, and end with their job.

A retriever keeps one processor busy, so two processes halve the time. They also keep the memory of
an index from staying with a worker, and can be killed in the middle of a call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings

from evaluation.corpus_sizes.child import PROGRESS, RESULT, file_of
from jobs.context import JobContext
from web.errors import UserFacingError

AT_ONCE = 2
LOOK_SECONDS = 0.2

Means = dict[str, float]


class NotMeasured(UserFacingError):
    """A retriever could not be measured on a sub-corpus."""

    def __init__(self, retriever: str, problem: str) -> None:
        super().__init__(f"{retriever} could not be measured: {problem}")


def measure_retrievers(
    folder: Path,
    retrievers: Sequence[str],
    work: JobContext,
    *,
    report: Callable[[str], None],
    keep: Callable[[str, Means], None],
) -> None:
    """Measure each retriever over the texts in the folder. `keep` gets the means when it is done.

    Raises NotMeasured, and what `work` raises to stop it. No process is left behind.
    """
    waiting = list(retrievers)
    running: dict[str, subprocess.Popen[bytes]] = {}
    with ExitStack() as stack:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                name = waiting.pop(0)
                running[name] = stack.enter_context(_child(folder, name))
            time.sleep(LOOK_SECONDS)
            for name in [name for name, child in running.items() if child.poll() is not None]:
                keep(name, _means(folder, name, running.pop(name).returncode))
            work.check()
            report(", ".join(_notes(folder, running)))


@contextmanager
def _child(folder: Path, name: str) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"errors-{name}.txt").open("wb") as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", "evaluation.corpus_sizes.child", str(folder), name],
            cwd=settings.BASE_DIR,
            # The other processor has a process of its own.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,  # It closes when this process dies, and then the child ends.
            stderr=errors,
        )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def _means(folder: Path, name: str, code: int) -> Means:
    path = file_of(folder, RESULT, name)
    if not path.exists():
        lines = (folder / f"errors-{name}.txt").read_text(errors="replace").splitlines()
        raise NotMeasured(name, f"its process ended with code {code}. {''.join(lines[-1:])}")
    result = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(result, str):
        raise NotMeasured(name, result)
    means: Means = result
    return means


def _notes(folder: Path, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        path = file_of(folder, PROGRESS, name)
        if path.exists():
            note, done = json.loads(path.read_text(encoding="utf-8"))
            yield f"{name}: {done:,} {note}"
