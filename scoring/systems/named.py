"""Systems by name. A run is a system from the start, whether it was scored or not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from accounts.models import Collection
from database.natural_order import natural_key
from retrieval.models import Run
from retrieval.run_rows import RunRow
from scoring.baselines.catalogue import BASELINES, is_current_definition
from scoring.models import System, SystemKind

KIND_WORDS = {
    SystemKind.RUN.value: "run",
    SystemKind.FILE.value: "imported",
    SystemKind.BASELINE.value: "baseline",
}


@dataclass(frozen=True)
class NamedSystem:
    """A system of any kind. `system` is None for a run that was never scored.

    `run` is the present run of the name; None for an imported file and a baseline.
    """

    name: str
    system: System | None
    run: Run | None

    @property
    def kind(self) -> str:
        return self.system.kind if self.system else SystemKind.RUN.value

    @property
    def kind_words(self) -> str:
        return KIND_WORDS[self.kind]

    @property
    def created_at(self) -> datetime | None:
        made = self.run if self.is_run else self.system
        return made.created_at if made else None

    @property
    def is_run(self) -> bool:
        return self.kind == SystemKind.RUN

    @property
    def repetition_of(self) -> str:
        return self.system.repetition_of if self.system else ""

    @property
    def is_ranking(self) -> bool:
        """False for a run from qrels: known positives, which are not scored."""
        return self.run is None or not self.run.holds_judgments

    @cached_property
    def origin(self) -> str:
        """In a few words: "bm25 over the abstract", "the file best.run", a baseline's method."""
        if self.is_run:
            return RunRow(self.run, 0).origin if self.run else "a run that was removed"
        assert self.system is not None, "only a run can lack a system"
        parameters = self.system.parameters
        if self.kind == SystemKind.FILE:
            return ", ".join(parameters.get("files", []))
        baseline = BASELINES.get(parameters.get("baseline", ""))
        method = str(baseline.method) if baseline else "made here"
        is_current = is_current_definition(parameters)
        return method if is_current else f"by an earlier definition: {method}"


def named_system(collection: Collection, name: str) -> NamedSystem | None:
    """The system or the run of that name. An imported system hides a run of its name."""
    system = collection.systems.filter(name=name).first()
    is_run = system is None or system.kind == SystemKind.RUN
    run = collection.runs.filter(name=name).first() if is_run else None
    return NamedSystem(name, system, run) if system or run else None


def named_systems(collection: Collection) -> list[NamedSystem]:
    """Every system and every run, in the natural order of their names."""
    systems = {system.name: system for system in collection.systems.all()}
    runs = {run.name: run for run in collection.runs.all()}
    return [
        NamedSystem(name, system, None if system and system.kind != SystemKind.RUN else run)
        for name in sorted(systems.keys() | runs.keys(), key=natural_key)
        for system, run in [(systems.get(name), runs.get(name))]
    ]
