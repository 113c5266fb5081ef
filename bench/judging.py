"""`make bench-judging`: half a million judgments, measured with real clients against real servers.

For each database: a made-up collection (`bench.judging_state`), gunicorn as deployed, clients that
ask as browsers do, and steps in processes of their own. Everything lies in one folder and one
database, which are removed, and listens on this machine only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any

import psycopg
from psycopg import sql

from bench import judging_peer, judging_server
from bench.judging_clients import (
    PATIENCE,
    Browser,
    Judging,
    PageTimes,
    Refused,
    get_page,
    judge_together,
)
from bench.judging_goals import GOALS, Figure, table
from bench.judging_server import (
    WITHOUT_TLS,
    DidNotStart,
    descendants_of,
    memory_of,
    serving,
    started,
    wait_until,
)
from bench.judging_state import PASSWORD, QUERIES, SEED, SLUG, usernames
from bench.run import POSTGRESQL, ROOT, measured_process

MIB = 1024 * 1024
ANNOTATORS = 8
LATENCY = 0.2  # seconds, as to a server on another continent
SETTLE_SECONDS = 6  # two ticks of a worker


class StepFailed(Exception):
    """A process ended with an error. What needs it is left out of the table."""


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

    def step(self, name: str, *given: object) -> tuple[dict[str, Any], int]:
        """Run a step of `bench.judging_steps`; what it measured, and its bytes at most."""
        return step(self.environment, name, *given)

    def keep(self, key: str, value: str, note: str = "") -> None:
        self.bench.keep(key, self.database, value, note)


def step(environment: dict[str, str], name: str, *given: object) -> tuple[dict[str, Any], int]:
    """Run a step in a process of its own. Raises StepFailed."""
    arguments = [name, *map(str, given)]
    measured, peak, problem = measured_process("bench.judging_steps", arguments, environment)
    if problem:
        raise StepFailed(f"{name}: {problem}")
    return measured, peak


def measure_judging(place: Place) -> None:
    """One annotator alone, then eight at once, then how many pairs have too many judgments."""
    size = place.bench.size
    names: list[str] = place.step("annotators", ANNOTATORS + 1)[0]["annotators"]
    with serving(place.environment, place.log) as server:
        alone = judge_together(server.port, names[-1:], PASSWORD, SLUG, seconds=60, most=size.keys)
        both = [key.both for key in alone.keys]
        place.keep("judge", f"{_ms(_at(both, 0.5))} / {_ms(_at(both, 0.95))} ms", _alone(alone))
        crowd = names[:ANNOTATORS]
        # The copied database is cold: its pages and their first change after the copy cost more.
        judge_together(server.port, crowd, PASSWORD, SLUG, seconds=size.seconds / 2)
        warm = place.step("judgments")[0]["judgments"]
        together = judge_together(server.port, crowd, PASSWORD, SLUG, seconds=size.seconds)
    after = place.step("judgments")[0]
    place.keep(
        "together",
        f"{together.per_second:.0f}/s, longest wait {together.longest_wait:.2f} s, "
        f"{after['over']} over-annotated",
        _together(together, len(crowd), after["judgments"] - warm),
    )


def measure_paint(place: Place) -> None:
    """A browser: from a key to the next pair on the screen, with a server near and far away."""
    fullest = place.step("fullest-query")[0]
    with serving(place.environment, place.log, WITHOUT_TLS) as server:
        path = f"/c/{SLUG}/judge/{fullest['query']}/"
        account = fullest["annotator"], PASSWORD
        given = [server.port, path, *account, place.bench.size.paints, LATENCY]
        paints, _, problem = measured_process("bench.judging_browser", list(map(str, given)), {})
    if problem:
        raise StepFailed(f"paint: {problem}")
    near, far = (
        f"{_ms(_at(paints[name], 0.5))} / {_ms(_at(paints[name], 0.95))} ms"
        for name in ("near", "far")
    )
    keys = f"{len(paints['near'])} keys"
    place.keep("paint", f"{near}; {far} at {1000 * LATENCY:.0f} ms latency", keys)


def _alone(judging: Judging) -> str:
    return "; ".join([f"{len(judging.keys)} keys, {_parts(judging)}", *judging.problems[:1]])


def _together(judging: Judging, annotators: int, saved: int) -> str:
    return "; ".join(
        [
            f"{annotators} annotators, {len(judging.keys)} keys, {saved} in the database",
            _parts(judging),
            *([f"{len(judging.problems)} refused"] if judging.problems else []),
            *judging.problems[:1],
        ]
    )


def _parts(judging: Judging) -> str:
    """The two kinds of requests of a key, each as p50 / p95."""
    saves = [key.save for key in judging.keys]
    return (
        f"save {_ms(_at(saves, 0.5))} / {_ms(_at(saves, 0.95))} ms, 12 pairs ahead "
        f"{_ms(_at(judging.fetches, 0.5))} / {_ms(_at(judging.fetches, 0.95))} ms"
    )


def measure_pages(place: Place) -> None:
    """Every page of the table, each on a server of its own, so that its memory is its own."""
    size = place.bench.size
    for key, (username, path) in _chosen_pages(place):
        with serving(place.environment, place.log) as server:
            browser = Browser(server.port)
            browser.log_in(username, PASSWORD)
            times = get_page(browser, path, times=size.gets, patience=size.patience)
            place.keep(key, *_page(times, server.largest_worker()))
            browser.close()


def measure_page_paint(place: Place) -> None:
    """The same pages in a browser: the slowest of them, and the one with the most elements."""
    size = place.bench.size
    names = [username_and_path for key, username_and_path in _chosen_pages(place)]
    with serving(place.environment, place.log, WITHOUT_TLS) as server:
        given = [server.port, PASSWORD, size.gets, *("=".join(name) for name in names)]
        shown, _, problem = measured_process("bench.page_paint", list(map(str, given)), {})
    if problem:
        raise StepFailed(f"page-paint: {problem}")
    slowest = max(shown, key=lambda path: shown[path]["painted"])
    largest = max(shown, key=lambda path: shown[path]["elements"])
    place.keep(
        "page-paint",
        f"{_ms(shown[slowest]['painted'])} ms, {shown[largest]['elements']:,} elements",
        f"{len(shown)} pages; slowest {slowest}, loaded after {_ms(shown[slowest]['loaded'])} ms; "
        f"largest {largest}",
    )


def _chosen_pages(place: Place) -> list[tuple[str, tuple[str, str]]]:
    """The key of the goal, and who asks for which address, of each page to measure."""
    chosen = place.bench.size.pages
    pages = _pages(place.step("document")[0]["docno"])
    return [(key, page) for key, page in pages.items() if not chosen or key in chosen]


def _pages(docno: str) -> dict[str, tuple[str, str]]:
    """Who asks for which address, by the key of the goal."""
    annotator, collection = usernames()["annotator"][0], f"/c/{SLUG}/"
    return {
        "home": ("admin1", "/"),
        "collection-admin": ("admin1", collection),
        "collection-annotator": (annotator, collection),
        "collection-adjudicator": ("adjudicator1", collection),
        "board": ("admin1", f"{collection}judging/"),
        "queries": ("admin1", f"{collection}queries/"),
        "pools-page": ("admin1", f"{collection}pools/"),
        "releases": ("admin1", f"{collection}releases/"),
        "agreement-page": ("admin1", f"{collection}agreement/"),
        "adjudicate": ("adjudicator1", f"{collection}adjudicate/"),
        "document": ("admin1", f"{collection}documents/id/{docno}"),
        "judge-list": (annotator, f"{collection}judge/"),
    }


def _page(times: PageTimes, worker: int) -> tuple[str, str]:
    if not times.seconds:
        return f"over {PATIENCE} s", ""
    value = f"{_ms(statistics.median(times.seconds))} ms"
    if times.status != 200:
        value = f"status {times.status}"
    note = f"{times.size / 1024:,.0f} KB, worker {worker / MIB:.0f} MiB"
    return value, f"{note}, longest {_ms(max(times.seconds))} ms of {len(times.seconds)}"


def measure_agreement(place: Place) -> None:
    """A report of the whole collection, and again when nothing changed."""
    first, peak = place.step("report", "zero")
    place.keep("agreement-job", f"{first['seconds']:.1f} s, {peak / MIB:.0f} MiB")
    again, peak = place.step("report", "zero")
    place.keep("agreement-again", f"{again['seconds']:.2f} s", f"{peak / MIB:.0f} MiB")


def measure_due_check(place: Place) -> None:
    due, peak = place.step("due-check")
    note = f"{due['statements']} statements, {peak / MIB:.0f} MiB"
    place.keep("due-check", f"{due['seconds']:.2f} s", note)


def measure_release(place: Place) -> None:
    released, peak = place.step("publish", "1.0")
    place.keep(
        "release",
        f"{released['seconds']:.1f} s, {peak / MIB:.0f} MiB",
        f"zip {released['size'] / MIB:.0f} MiB, longest transaction {released['longest']:.1f} s",
    )


def measure_import(place: Place) -> None:
    imported, peak = place.step("import-again", "1.0")
    place.keep(
        "import",
        f"{imported['seconds']:.1f} s, {peak / MIB:.0f} MiB",
        f"{imported['judgments']:,} judgments, longest transaction {imported['longest']:.2f} s",
    )


def measure_pools(place: Place) -> None:
    """Pools of a second collection with as many query papers, built and then replaced."""
    place.step("prepare-pools", place.bench.size.papers)
    for key in ("pools", "pools-again"):
        built, peak = place.step("pools")
        note = f"all {built['seconds']:.0f} s, {peak / MIB:.0f} MiB"
        place.keep(key, f"{built['longest']:.2f} s", note)


def measure_statistics(bench: Bench) -> None:
    """The statistics alone. They need no database, so this is measured once."""
    queries, pairs = bench.size.agreement
    done, peak = step(_anywhere(bench), "summarize", queries, pairs)
    value = f"{done['seconds']:.1f} s, {peak / MIB:.0f} MiB"
    bench.keep("agreement", "-", value, f"{queries:,} × {pairs}")


def _anywhere(bench: Bench) -> dict[str, str]:
    folder = bench.folder / "anywhere"
    folder.mkdir(exist_ok=True)
    return _on_sqlite(folder)


def _on_sqlite(folder: Path) -> dict[str, str]:
    database = f"sqlite:///{folder}/qrelsmith.sqlite3"
    return {"DATA_DIR": str(folder), "SECRET_KEY": "bench", "DATABASE_URL": database}


def measure_demo(bench: Bench) -> None:
    """Web and worker of `make demo` without a request."""
    port = judging_server.free_port()
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        environment = {**_on_sqlite(Path(folder)), "PORT": str(port)}
        _measure_demo(bench, environment, port, Path(folder) / "demo.log")


def _measure_demo(bench: Bench, environment: dict[str, str], port: int, log: Path) -> None:
    with started([sys.executable, "manage.py", "start_demo"], environment, log) as process:
        ready: Callable[[], bool] = lambda: "is ready" in log.read_text(errors="replace")  # noqa: E731
        wait_until(ready, process, log)
        # The web server loads much only when it answers its first page.
        Browser(port).get("/accounts/login/")
        time.sleep(SETTLE_SECONDS)
        family = descendants_of(process.pid)
        memory, launcher = memory_of(family), memory_of([process.pid])
    bench.keep(
        "demo",
        "sqlite",
        f"{memory.pss / MIB:.0f} MiB PSS, {memory.rss / MIB:.0f} RSS",
        f"{len(family)} processes; the launcher has {launcher.rss / MIB:.0f} RSS",
    )


def measure_peer(bench: Bench) -> None:
    """The same number of annotators at full speed on Potato, where its program is named."""
    if not bench.potato:
        bench.say("no Potato; --potato names its program")
        return
    result = judging_peer.measure(
        Path(bench.potato), bench.folder, annotators=ANNOTATORS, seconds=bench.size.seconds
    )
    bench.keep("peer", "-", result.value, result.note)


def _at(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies; 0 without values."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.1f}" if seconds < 0.1 else f"{1000 * seconds:,.0f}"


@contextmanager
def places(bench: Bench, wanted: Sequence[str]) -> Iterator[list[Place]]:
    """The state on each database, as a copy that may be changed."""
    with ExitStack() as stack:
        found = []
        for name in wanted:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=bench.folder))
            environment = _on_sqlite(Path(folder))
            if name == "postgresql":
                url = stack.enter_context(_postgresql(bench, folder))
                if url is None:
                    continue
                environment["DATABASE_URL"] = url
            else:
                _make_sqlite(bench, environment, Path(folder))
            found.append(Place(bench, name, environment))
        yield found


def _make_sqlite(bench: Bench, environment: dict[str, str], folder: Path) -> None:
    """A copy of the file that an earlier run left in BENCH_DIR, or a new state."""
    kept = bench.folder / f"judging-{_state_name(bench.size)}.sqlite3"
    if not kept.exists():
        _make_state(bench, environment)
        (folder / "qrelsmith.sqlite3").rename(kept)
    database = folder / "qrelsmith.sqlite3"
    shutil.copy(kept, database)
    with database.open("r+b") as file:  # or the first checkpoint would wait for the copy
        os.fsync(file.fileno())


def _make_state(bench: Bench, environment: dict[str, str]) -> None:
    given = ("--queries", str(bench.size.queries))
    made, _, problem = measured_process("bench.judging_state", given, environment)
    if problem:
        raise SystemExit(f"the state: {problem}")
    bench.say(f"made up: {made}")


def _state_name(size: Size) -> str:
    """Size and seed, and a digest of what the state is made by and of the tables that hold it."""
    digest = hashlib.sha256()
    sources = [ROOT / "bench" / "judging_state.py", ROOT / "bench" / "corpus.py"]
    for path in [*sources, *sorted(ROOT.glob("*/migrations/*.py"))]:
        digest.update(path.read_bytes())
    return f"{size.queries}-{SEED}-{digest.hexdigest()[:8]}"


@contextmanager
def _postgresql(bench: Bench, folder: str) -> Iterator[str | None]:
    """A database with the state, or None without a server. It is dropped at the end.

    With BENCH_DIR, the state itself stays in the server as a template for the next run.
    """
    server = os.environ.get("BENCH_POSTGRESQL", POSTGRESQL).rstrip("/")
    template = f"qrelsmith_bench_{_state_name(bench.size).replace('-', '_')}"
    name = f"qrelsmith_bench_{os.getpid()}"
    keeps = bool(os.environ.get("BENCH_DIR"))
    try:
        connection = psycopg.connect(f"{server}/postgres", autocommit=True, connect_timeout=3)
    except psycopg.Error as error:
        bench.say(f"no PostgreSQL ({str(error).splitlines()[0]}); BENCH_POSTGRESQL names one")
        yield None
        return
    with connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template])
        if known.fetchone() is None:
            _run(connection, "CREATE DATABASE {}", name)
            environment = {"DATA_DIR": folder, "SECRET_KEY": "bench"}
            try:
                _make_state(bench, {**environment, "DATABASE_URL": f"{server}/{name}"})
                _run(connection, "ALTER DATABASE {} RENAME TO {}", name, template)
            except BaseException:
                _run(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
                raise
        _run(connection, "CREATE DATABASE {} TEMPLATE {}", name, template)
        try:
            yield f"{server}/{name}"
        finally:
            for left in (name, *(() if keeps else (template,))):
                _run(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", left)


def _run(connection: psycopg.Connection[Any], statement: str, *names: str) -> None:
    connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


# Measured once, and on each database.
ALONE: dict[str, Callable[[Bench], None]] = {
    "demo": measure_demo,
    "statistics": measure_statistics,
    "peer": measure_peer,
}
PARTS: dict[str, Callable[[Place], None]] = {
    "paint": measure_paint,
    "judging": measure_judging,
    "pages": measure_pages,
    "page-paint": measure_page_paint,
    "agreement": measure_agreement,
    "due-check": measure_due_check,
    "release": measure_release,
    "pools": measure_pools,
    "import": measure_import,  # the last, because all tables have twice as many rows afterwards
}


def run(bench: Bench, wanted: Sequence[str], only: Sequence[str] = ()) -> str:
    """Measure all parts, or `only` those; the table. What fails is said and left out of it."""
    _collect_static(bench)
    chosen = only or (*ALONE, *PARTS)
    for name, measure_alone in ALONE.items():
        if name in chosen:
            with _failure_said(bench, name):
                measure_alone(bench)
    with places(bench, wanted if set(chosen) & set(PARTS) else ()) as found:
        for place in found:
            for name, measure in PARTS.items():
                if name in chosen:
                    with _failure_said(bench, f"{place.database} · {name}"):
                        measure(place)
    return table(bench.figures, list(wanted))


@contextmanager
def _failure_said(bench: Bench, what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException, Refused, StepFailed, DidNotStart) as error:
        bench.say(f"{what} failed: {type(error).__name__}: {error}")


def _collect_static(bench: Bench) -> None:
    """What deployment does before it starts the server."""
    environment = {**os.environ, **_anywhere(bench), **judging_server.DEPLOYED}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(description=__doc__)
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
        bench = Bench(Path(folder), out, size, given.potato)
        done = run(bench, given.databases.split(","), given.only)
        bench.say(f"\n{done}")


if __name__ == "__main__":
    main()
