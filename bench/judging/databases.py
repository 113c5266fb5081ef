"""The state on each database, as a copy that may be changed."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.databases import Server, environments, on_sqlite, own_name, postgresql
from bench.judging.setting import Bench, Place, Size
from bench.judging.state import SEED
from bench.processes import ROOT, measured_process


@contextmanager
def places(bench: Bench, wanted: Sequence[str]) -> Iterator[list[Place]]:
    """The state on each database, as a copy that may be changed."""
    with environments(wanted, bench.folder, lambda folder: _postgresql(bench, folder)) as found:
        if "sqlite" in found:
            _make_sqlite(bench, found["sqlite"])
        yield [Place(bench, name, environment) for name, environment in found.items()]


def _make_sqlite(bench: Bench, environment: dict[str, str]) -> None:
    """A copy of the file that an earlier run left in BENCH_DIR, or a new state."""
    folder = Path(environment["DATA_DIR"])
    kept = kept_state(bench)
    if not kept.exists():
        make_state_in_process(bench, environment)
        (folder / "qrelsmith.sqlite3").rename(kept)
    database = folder / "qrelsmith.sqlite3"
    shutil.copy(kept, database)
    with database.open("r+b") as file:  # or the first checkpoint would wait for the copy
        os.fsync(file.fileno())


def kept_state(bench: Bench) -> Path:
    """The SQLite database that a run leaves in BENCH_DIR for the next one."""
    return bench.folder / f"judging-{_state_name(bench.size)}.sqlite3"


def make_state_in_process(bench: Bench, environment: dict[str, str]) -> None:
    """Migrate the database of the environment and make the state in it, in a process."""
    given = ("--queries", str(bench.size.queries))
    made, _, problem = measured_process("bench.judging.state", given, environment)
    if problem:
        raise SystemExit(f"the state: {problem}")
    bench.say(f"made up: {made}")


def _state_name(size: Size) -> str:
    """Size and seed, and a digest of what the state is made by and of the tables that hold it."""
    digest = hashlib.sha256()
    sources = [*sorted(ROOT.glob("bench/judging/state*.py")), ROOT / "bench" / "corpus.py"]
    tables = [*ROOT.glob("*/migrations/*.py"), *ROOT.glob("*/rules.py"), *ROOT.glob("*/rules/*.py")]
    for path in [*sources, *sorted(tables), ROOT / "database" / "triggers.py"]:
        digest.update(path.read_bytes())
    return f"{size.queries}-{SEED}-{digest.hexdigest()[:8]}"


@contextmanager
def _postgresql(bench: Bench, folder: Path) -> Iterator[str | None]:
    """A database with the state, or None without a server. It is dropped at the end.

    With BENCH_DIR, the state itself stays in the server as a template for the next run.
    """
    template = f"qrelsmith_bench_{_state_name(bench.size).replace('-', '_')}"
    with postgresql(bench.say) as server:
        if server is None:
            yield None
            return
        if not server.has(template):
            _make_template(bench, server, template, folder)
        server.run("CREATE DATABASE {} TEMPLATE {}", own_name(), template)
        try:
            yield f"{server.url}/{own_name()}"
        finally:
            server.drop(own_name())
            if not os.environ.get("BENCH_DIR"):
                server.drop(template)


def _make_template(bench: Bench, server: Server, template: str, folder: Path) -> None:
    server.run("CREATE DATABASE {}", own_name())
    environment = {**on_sqlite(folder), "DATABASE_URL": f"{server.url}/{own_name()}"}
    try:
        make_state_in_process(bench, environment)
        server.run("ALTER DATABASE {} RENAME TO {}", own_name(), template)
    except BaseException:
        server.drop(own_name())
        raise
