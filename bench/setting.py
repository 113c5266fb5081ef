"""Where `bench.run` measures, and its measurements so far."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psycopg

from bench.databases import environments, new_database
from bench.processes import ROOT, Measured, Values, measured_process
from bench.table import Instead, Measurement
from bench.worker import measured_job

SEED = 7


@dataclass
class Bench:
    """The folder, and the measurements so far. Each measurement is printed at once."""

    folder: Path
    out: IO[str]
    measurements: list[Measurement] = field(default_factory=list)
    instead: list[Instead] = field(default_factory=list)

    def corpus(self, size: int) -> Path:
        return self._generated(f"corpus-{size}.jsonl.gz", size)

    def dump(self, size: int) -> Path:
        """A folder of works in the form of OpenAlex's snapshot."""
        return self._generated(f"dump-{size}", size, "--dump")

    def _generated(self, name: str, size: int, *options: str) -> Path:
        path = self.folder / name
        if not path.exists():
            start = time.perf_counter()
            draft = path.with_name(f"draft-{path.name}")
            # In a separate process, because a child's peak begins at its parent's memory.
            subprocess.run(
                [
                    *(sys.executable, "-m", "bench.corpus", str(size), str(draft)),
                    *("--seed", str(SEED), *options),
                ],
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

    def step(self, name: str, *given: str, label: str = "") -> None:
        """Run a step of `bench.steps` and keep what it measured, if it has a label."""
        measured = measured_process("bench.steps", (name, *given), self.environment)
        if label:
            self.keep(label, measured)
        elif measured.problem:
            raise SystemExit(f"{name}: {measured.problem}")

    def job(self, name: str, *given: str, label: str) -> None:
        """Let a real worker do a job of `bench.steps`, and keep what it measured."""
        log = Path(self.environment["DATA_DIR"]) / "worker.log"
        self.keep(label, measured_job("bench.steps", (name, *given), self.environment, log))

    def keep(self, label: str, measured: Measured) -> None:
        result, peak, problem = measured
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


def _note(result: Values) -> str:
    counts = ("query papers", "cited", "lists", "candidates", "contributions", "attempts")
    notes = [
        f"{result[name]:,} {name if result[name] != 1 else name[:-1]}"
        for name in counts
        if name in result
    ]
    notes += [f"{name} after {end:,} s" for name, end in result.get("ends", {}).items()]
    if "longest" in result:
        notes.append(f"longest transaction {result['longest']:.2f} s")
    return ", ".join(notes)


def database_size(place: Place) -> int | None:
    if place.database == "sqlite":
        folder = Path(place.environment["DATA_DIR"])
        return sum(path.stat().st_size for path in folder.glob("qrelsmith.sqlite3*"))
    with psycopg.connect(place.environment["DATABASE_URL"]) as connection:
        row = connection.execute("SELECT pgdatabase_size(current_database())").fetchone()
    return row[0] if row else None


@contextmanager
def databases(size: int, bench: Bench, wanted: Sequence[str]) -> Iterator[list[Place]]:
    """An empty place on each wanted database that is available."""
    with environments(wanted, bench.folder, lambda _: new_database(bench.say)) as found:
        yield [Place(bench, size, name, environment) for name, environment in found.items()]
