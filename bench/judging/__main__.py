"""`python -m bench.judging`: the command line."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import bench.judging
from bench.judging.parts import ALONE, PARTS, run
from bench.judging.setting import Bench, Size
from bench.judging.state import QUERIES
from bench.processes import exit_on_sigterm


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(description=bench.judging.__doc__)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--seconds", type=float, default=Size.seconds, help="of eight annotators")
    parser.add_argument("--gets", type=int, default=Size.gets, help="requests for each page")
    parser.add_argument("--potato", default="", help="the program `potato`, to measure it too")
    parts = ", ".join((*ALONE, *PARTS))
    parser.add_argument("--only", type=_words, default=(), help=f"some of: {parts}")
    parser.add_argument("--pages", type=_words, default=(), help="some of the pages, by their keys")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None, out: IO[str] = sys.stdout) -> None:
    given = options(arguments)
    size = Size(
        queries=given.queries,
        papers=given.queries,
        seconds=given.seconds,
        gets=given.gets,
        pages=given.pages,
    )
    with ExitStack() as stack:
        folder = os.environ.get("BENCH_DIR") or stack.enter_context(tempfile.TemporaryDirectory())
        Path(folder).mkdir(parents=True, exist_ok=True)
        running = Bench(Path(folder), out, size, given.potato)
        done = run(running, given.databases.split(","), given.only)
        running.say(f"\n{done}")


if __name__ == "__main__":
    exit_on_sigterm()
    main()
