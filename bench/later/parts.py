"""The parts after the first judging, in their order."""

from __future__ import annotations

import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.judging.setting import Place
from bench.processes import (
    Measured,
    free_port,
    measured_step,
    started,
    successful,
    wait_until,
)
from bench.table import MIB
from bench.worker import measured_job

STEPS = "bench.later.steps"
LATER_VERSION = "1.1"


def measure_pool_round(place: Place) -> None:
    """The gaps of late runs, the round that closes them, its pairs, and the yields."""
    _step(place, "late-runs")
    systems = _job(place, "gaps")
    _keep(place, "gaps", systems, f"{systems.values['systems']} systems")
    added = _job(place, "pool-round")
    _keep(place, "pool-round", added, f"{added.values['candidates']:,} candidates")
    opened = _job(place, "new-pairs")
    _keep(place, "new-pairs", opened, f"{opened.values['pairs']:,} pairs")
    _keep(place, "yields", _job(place, "yields"))


def measure_model(place: Place) -> None:
    """Labels of a model: their import, their worth, and what they save."""
    folder = Path(place.environment["DATA_DIR"])
    _step(place, "write-labels", folder)
    imported = _step(place, "import-labels", folder)
    _keep(place, "model-labels", imported, f"{imported.values['labels']:,} labels")
    for key in ("worth", "judging-plans", "estimates"):
        _keep(place, key, _job(place, key))


def measure_asking(place: Place) -> None:
    """A model on a server of this machine, which answers at once."""
    port = free_port()
    environment = {"MODEL_ADDRESSES": f"http://127.0.0.1:{port}/v1"}

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    command = [sys.executable, "-m", "bench.later.model_server", str(port)]
    with started(command, {}, place.log) as process:
        wait_until(answers, process, place.log)
        asked = _job(
            Place(place.bench, place.database, {**place.environment, **environment}),
            "ask",
            environment["MODEL_ADDRESSES"],
            place.bench.size.requests,
        )
    number, seconds = asked.values["answers"], asked.values["seconds"]
    _keep(place, "asking", asked, f"{number:,} answers, {number / seconds:.0f} a second")


def measure_benchmark_import(place: Place) -> None:
    """Files of MDCR's form, with as many queries as the state has."""
    with tempfile.TemporaryDirectory(dir=place.bench.folder) as folder:
        _step(place, "write-mdcr", folder, place.bench.size.queries)
        imported = _step(place, "import-mdcr", folder)
    _keep(place, "benchmark-import", imported, f"{imported.values['labels']:,} labels")


def measure_second_release(place: Place) -> None:
    """A second version, with the round in it, and all checks of its files."""
    released = place.job("publish", LATER_VERSION)
    _keep(place, "second-release", released, f"zip {released.values['size'] / MIB:.0f} MiB")
    verified = _step(place, "verify", LATER_VERSION)
    _keep(place, "verification", verified, f"{verified.values['checks']} checks")


PARTS: dict[str, Callable[[Place], None]] = {
    "model": measure_model,  # before the round, with which no query is finished
    "pool-round": measure_pool_round,
    "asking": measure_asking,
    "second-release": measure_second_release,
    "benchmark-import": measure_benchmark_import,
}


def _step(place: Place, name: str, *given: object) -> Measured:
    return measured_step(STEPS, [name, *given], place.environment)


def _job(place: Place, name: str, *given: object) -> Measured:
    log = place.bench.folder / f"{place.database}-worker.log"
    arguments = [name, *map(str, given)]
    return successful(measured_job(STEPS, arguments, place.environment, log), name)


def _keep(place: Place, key: str, measured: Measured, note: str = "") -> None:
    values, peak, _ = measured
    if "longest" in values:
        note = "; ".join(filter(None, [note, f"longest transaction {values['longest']:.2f} s"]))
    cost = f"{values['seconds']:.1f} s, {values['cpu']:.1f} CPU s, {peak / MIB:.0f} MiB"
    place.keep(key, cost, note)
