"""`make bench`: measure everything, at growing sizes, and print a table.

Each step is a separate process, so that its peak memory is measured alone. All files are in one
folder (BENCH_DIR, or a temporary one) and are removed, except the corpora if BENCH_DIR is given.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psycopg

from bench.databases import new_database, on_sqlite
from bench.processes import ROOT, measured_process
from bench.steps import CSFCUBE
from bench.table import Instead, Measurement, table
from bench.worker import measured_job

SIZES = "10k,100k"
SEED = 7
# Other tools: the step that each is compared with, and the largest corpus that it is given.
OTHERS = {
    "rank_bm25": ("bm25_abstract", 100_000),
    "bm25s": ("bm25_abstract", 1_000_000),
    "sklearn": ("tfidf_abstract", 1_000_000),
    "gensim": ("cbow_abstract", 200_000),
}
SEVEN = (
    "bm25_abstract",
    *(f"{kind}_title" for kind in CSFCUBE),
    *(f"{kind}_abstract" for kind in CSFCUBE),
)


@dataclass
class Bench:
    """The folder, and the measurements so far. Each measurement is printed at once."""

    folder: Path
    out: IO[str]
    measurements: list[Measurement] = field(default_factory=list)
    instead: list[Instead] = field(default_factory=list)

    def corpus(self, size: int) -> Path:
        path = self.folder / f"corpus-{size}.jsonl.gz"
        if not path.exists():
            start = time.perf_counter()
            draft = path.with_name(f"draft-{path.name}")
            # In a separate process, because a child's peak begins at its parent's memory.
            subprocess.run(
                [sys.executable, "-m", "bench.corpus", str(size), str(draft), "--seed", str(SEED)],
                cwd=ROOT,
                check=True,
            )
            draft.rename(path)
            self.say(f"{size:,} documents generated in {time.perf_counter() - start:.0f} s")
        return path

    def say(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()

    def keep(self, measured: Measurement) -> None:
        self.measurements.append(measured)
        shown = "failed" if measured.seconds is None else f"{measured.seconds:.2f} s"
        of = f"{measured.documents:,} {measured.database} {measured.step}"
        self.say(f"{of}: {shown}, {measured.peak / 2**20:,.0f} MiB {measured.note}")


@dataclass(frozen=True)
class Place:
    """One size on one database."""

    bench: Bench
    size: int
    database: str
    environment: dict[str, str]

    def step(self, name: str, *given: str, label: str = "") -> dict[str, Any]:
        """Run a step of `bench.steps` and keep what it measured, if it has a label."""
        result, peak, problem = measured_process("bench.steps", (name, *given), self.environment)
        if label:
            self.keep(label, result, peak, problem)
        elif problem:
            raise SystemExit(f"{name}: {problem}")
        return result

    def job(self, name: str, *given: str, label: str) -> None:
        """Let a real worker do a job of `bench.steps`, and keep what it measured."""
        log = Path(self.environment["DATA_DIR"]) / "worker.log"
        self.keep(label, *measured_job("bench.steps", (name, *given), self.environment, log))

    def keep(self, label: str, result: dict[str, Any], peak: int, problem: str) -> None:
        self.bench.keep(
            Measurement(
                self.size,
                self.database,
                label,
                result.get("seconds"),
                peak,
                result.get("disk"),
                problem or _note(result),
                result.get("cpu"),
            )
        )


def _note(result: dict[str, Any]) -> str:
    counts = ("lists", "candidates", "contributions", "attempts")
    notes = [
        f"{result[name]:,} {name if result[name] != 1 else name[:-1]}"
        for name in counts
        if name in result
    ]
    if "longest" in result:
        notes.append(f"longest transaction {result['longest']:.2f} s")
    return ", ".join(notes)


def measure(place: Place, retrievers: Sequence[str]) -> None:
    """Measure every step of Qrelsmith itself on a corpus."""
    place.step("prepare")
    place.step("import", str(place.bench.corpus(place.size)), label="import")
    _disk_of_database(place)
    place.step("digest", label="corpus digest")
    start = len(place.bench.measurements)
    for name in retrievers:
        place.step("index", name, label=f"index {name}")
    _total(place, "all indexes", start)
    start = len(place.bench.measurements)
    for name in retrievers:
        place.step("search", name, label=f"50 queries {name}")
    _total(place, "50 queries, CSFCube's six and BM25", start, {f"50 queries {n}" for n in SEVEN})
    place.step("reopen", *retrievers, label="second start, every index")
    place.step("invent-runs")
    place.job("retrieve", retrievers[0], label=f"job: run of {retrievers[0]}")
    place.job("pools", label="job: pools from 7 runs")
    place.job("pools", label="job: pools again, replacing drafts")


def _total(place: Place, label: str, start: int, only: set[str] | None = None) -> None:
    steps = [
        measurement
        for measurement in place.bench.measurements[start:]
        if only is None or measurement.step in only
    ]
    if len(steps) > 1 and all(measurement.seconds is not None for measurement in steps):
        place.bench.keep(
            Measurement(
                place.size,
                place.database,
                label,
                sum(measurement.seconds or 0 for measurement in steps),
                max(measurement.peak for measurement in steps),
                note=f"sum of {len(steps)} steps",
                cpu=sum(measurement.cpu or 0 for measurement in steps),
            )
        )


def _disk_of_database(place: Place) -> None:
    last = place.bench.measurements[-1]
    place.bench.measurements[-1] = Measurement(**{**vars(last), "disk": _database_size(place)})


def _database_size(place: Place) -> int | None:
    if place.database == "sqlite":
        folder = Path(place.environment["DATA_DIR"])
        return sum(path.stat().st_size for path in folder.glob("qrelsmith.sqlite3*"))
    with psycopg.connect(place.environment["DATABASE_URL"]) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return row[0] if row else None


def compare(bench: Bench, size: int) -> None:
    """Measure the other tools on the same abstracts."""
    for what, (retriever, largest) in OTHERS.items():
        if size > largest:
            bench.say(f"{size:,} {what}: skipped; too large for a small machine")
            continue
        result, peak, problem = measured_process(
            "bench.others", (what, str(bench.corpus(size))), {}
        )
        for label, key in ((f"index {retriever}", "index"), (f"50 queries {retriever}", "search")):
            note = problem
            if key == "search" and result.get("asked", 50) < 50:
                note = f"{what} from {result['asked']} queries"
            measurement = Measurement(size, what, label, result.get(key), peak, None, note)
            bench.instead.append(Instead(label, what, measurement))
        bench.say(f"{size:,} {what}: {result or problem}, {peak / 2**20:,.0f} MiB")


@contextmanager
def databases(size: int, bench: Bench, wanted: Sequence[str]) -> Iterator[list[Place]]:
    """An empty place on each wanted database that is available."""
    with ExitStack() as stack:
        places = []
        for name in wanted:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=bench.folder))
            environment = on_sqlite(Path(folder))
            if name == "postgresql":
                url = stack.enter_context(new_database(bench.say))
                if url is None:
                    continue
                environment["DATABASE_URL"] = url
            places.append(Place(bench, size, name, environment))
        yield places


def run(
    sizes: Sequence[int],
    wanted: Sequence[str],
    retrievers: Sequence[str],
    others: bool,
    bench: Bench,
) -> str:
    """Measure everything and return the table. Later databases build and search one index only."""
    for size in sizes:
        with databases(size, bench, wanted) as places:
            for number, place in enumerate(places):
                measure(place, retrievers if not number else retrievers[:1])
        if others:
            compare(bench, size)
    return table(bench.measurements, bench.instead)


def _all_retrievers() -> list[str]:
    code = "import json; from bench.steps import retrievers; print(json.dumps(retrievers()))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    names: list[str] = json.loads(ran.stdout)
    return names


def _sizes(text: str) -> list[int]:
    units = {"k": 1_000, "m": 1_000_000}
    return sorted(
        int(float(size[:-1]) * units[size[-1]]) if size[-1] in units else int(size)
        for size in text.lower().split(",")
    )


def main(arguments: Sequence[str] | None = None, out: IO[str] = sys.stdout) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="such as 10k,100k,800k,2M")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--retrievers", default="", help="default: all")
    parser.add_argument("--no-others", action="store_true", help="measure Qrelsmith alone")
    given = parser.parse_args(arguments)
    retrievers = [name for name in given.retrievers.split(",") if name] or _all_retrievers()
    with ExitStack() as stack:
        folder = os.environ.get("BENCH_DIR") or stack.enter_context(tempfile.TemporaryDirectory())
        Path(folder).mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if free < (need := 15_000 * max(given.sizes)):
            raise SystemExit(
                f"{folder} has {free:,} bytes free, but up to {need:,} may be needed. Free some "
                "space or set BENCH_DIR to another folder."
            )
        bench = Bench(Path(folder), out)
        done = run(given.sizes, given.databases.split(","), retrievers, not given.no_others, bench)
        bench.say(f"\n{done}")


if __name__ == "__main__":
    main()
