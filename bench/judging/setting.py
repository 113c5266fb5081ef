"""Where the benchmark runs, how much it measures, and the figures so far."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from bench.databases import on_sqlite
from bench.judging.goals import GOALS, Figure
from bench.judging.state import QUERIES
from bench.processes import Measured, measured_step, successful
from bench.worker import measured_job

STEPS = "bench.judging.steps"


@dataclass(frozen=True)
class Size:
    """How much is measured. The published table uses the defaults; a test measures less."""

    queries: int = QUERIES
    keys: int = 300  # of one client
    paints: int = 30  # keys in a browser, twice; a query has 66 pairs
    seconds: float = 20.0  # that eight annotators judge
    gets: int = 5  # of each page
    patience: float = 20.0  # seconds for one page
    pages: tuple[str, ...] = ()  # by the keys of the goals; none are all
    requests: int = 5_000  # to a model
    papers: int = QUERIES  # whose pools are built
    agreement: tuple[int, int] = (5_000, 250)


@dataclass
class Bench:
    """Where it runs, and the figures so far; shown as they come."""

    folder: Path
    out: IO[str]
    size: Size
    potato: str = ""  # its program
    figures: list[Figure] = field(default_factory=list)

    def keep(self, key: str, database: str, value: str, note: str = "") -> None:
        self.figures.append(Figure(key, database, value, note))
        load = f"load {os.getloadavg()[0]:.1f}"
        self.say(
            f"{database} · {GOALS[key].work}: {value} ({'; '.join(filter(None, [note, load]))})"
        )

    def anywhere(self) -> dict[str, str]:
        """The environment of steps that need no state."""
        folder = self.folder / "anywhere"
        folder.mkdir(exist_ok=True)
        return on_sqlite(folder)

    def say(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()


@dataclass(frozen=True)
class Place:
    """The state on one database."""

    bench: Bench
    database: str
    environment: dict[str, str]

    @property
    def log(self) -> Path:
        return self.bench.folder / f"{self.database}.log"

    def step(self, name: str, *given: object) -> Measured:
        """Run a step of `bench.judging.steps` in a process of its own. Raises StepFailed."""
        return measured_step(STEPS, [name, *given], self.environment)

    def job(self, name: str, *given: object) -> Measured:
        """Let a real worker do a job of `bench.judging.steps`; as `step`."""
        log = self.bench.folder / f"{self.database}-worker.log"
        arguments = [name, *map(str, given)]
        return successful(measured_job(STEPS, arguments, self.environment, log), name)

    def keep(self, key: str, value: str, note: str = "") -> None:
        self.bench.keep(key, self.database, value, note)
