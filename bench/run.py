"""`make bench`: one table of speeds, on SQLite and, where it answers, on PostgreSQL.

    make bench                            everything
    make bench ARGS="judging pages"       some parts: judging, pages, retrieval, scoring, reports, browser, idle
    make bench ARGS="retrieval --documents 20000"

Everything happens in a folder and a database of its own, on loopback, and is removed at the end.
"""

from __future__ import annotations

import argparse
import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PARTS = ("judging", "pages", "reports", "browser", "retrieval", "scoring", "idle")
POSTGRESQL = os.environ.get("TEST_POSTGRESQL_URL", "postgres://postgres@127.0.0.1:5432/postgres")
ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--documents", type=int, default=200_000, help="of the retrieval part")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    parts = options.parts or list(PARTS)
    if options.database:
        measure(parts[0], options.database, options.documents)
        return
    print(f"{'what':44} {'where':11} {'measured':>12}  {'aim':>10}", flush=True)
    for database in ("sqlite", "postgresql"):
        wanted = [part for part in parts if database == "sqlite" or part in ("judging", "pages", "reports")]
        if wanted and (database == "sqlite" or answers(POSTGRESQL)):
            run_on(database, wanted, options.documents)


def run_on(database: str, parts: list[str], documents: int) -> None:
    """Each part in a process of its own, so that its peak of memory is its own; with a data folder and a database."""
    import psycopg

    folder = Path(tempfile.mkdtemp(prefix="qrelsmith-bench-"))
    environment = os.environ | {"DATA_DIR": str(folder), "LOG_LEVEL": "ERROR", "MODE": "local"}
    name = f"qrelsmith_bench_{os.getpid()}"
    server = POSTGRESQL.replace("postgres://", "postgresql://")
    if database == "postgresql":
        with psycopg.connect(server, autocommit=True) as link:
            link.execute(f"CREATE DATABASE {name}")
        environment["DATABASE_URL"] = POSTGRESQL.rsplit("/", 1)[0] + f"/{name}"
    options = ["--documents", str(documents), "--database", database]
    try:
        for part in parts:
            subprocess.run([sys.executable, "-m", "bench.run", part, *options], env=environment, check=True, cwd=ROOT)
    finally:
        shutil.rmtree(folder)
        if database == "postgresql":
            with psycopg.connect(server, autocommit=True) as link:
                link.execute(f"DROP DATABASE {name} WITH (FORCE)")


def answers(url: str) -> bool:
    import psycopg

    with suppress(psycopg.OperationalError):
        psycopg.connect(url.replace("postgres://", "postgresql://"), connect_timeout=3).close()
        return True
    return False


def say(what: str, where: str, measured: str, aim: str = "") -> None:
    print(f"{what:44} {where:11} {measured:>12}  {aim:>10}", flush=True)


def measure(part: str, database: str, documents: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    match part:
        case "judging":
            measure_judging(database)
        case "pages":
            measure_pages(database)
        case "reports":
            measure_reports(database)
        case "browser":
            measure_browser()
        case "retrieval":
            from bench.retrieval import measure_retrieval

            measure_retrieval(say, documents)
        case "scoring":
            from bench.scoring import measure_scoring

            measure_scoring(say)
        case "idle":
            measure_idle()


def measure_judging(database: str) -> None:
    from bench.judging import Judge, many_clients, one_client
    from bench.made import make_collection

    make_collection("judging", queries=48, candidates=130, documents=1000, judged=0.0)
    aim = {"sqlite": "≤ 8 ms", "postgresql": "≤ 12 ms"}[database]
    with server() as port:
        judges = [Judge(port, "judging", session_of(f"judge{number}")) for number in range(8)]
        say("save a judgment, one client, median", database, f"{one_client(judges[0], 200):.1f} ms", aim)
        speed, sent = many_clients(judges, 150)
        say("judgments a second, 8 annotators", database, f"{speed:.0f}", "≥ 150")
    from django.db.models import Count

    from annotation.models import Judgment, Pair, Slot

    if database == "sqlite":
        from bench.potato import measure_potato

        theirs = measure_potato(free_port())
        say("  beside Potato's", "ratio", f"{speed / theirs:.1f}")
    over_two = Pair.objects.annotate(judged=Count("slots__judgment")).filter(judged__gt=2).count()
    say("pairs with more than two judgments", database, str(over_two), "0")
    saved = Slot.objects.exclude(judgment=None).count()
    assert saved == Judgment.objects.count() == 210 + sent, f"{saved} of {210 + sent} judgments are saved"


def measure_pages(database: str) -> None:
    from bench.made import make_collection

    for slug, queries, aim in (("csfcube", 50, 100), ("large", 500, 250)):
        made = make_collection(slug, queries=queries, candidates=125, documents=8000, judged=1.0)
        measure_pages_of(made, database, aim)


def measure_pages_of(made: Any, database: str, aim: int) -> None:
    """The slowest of all pages that an admin, an annotator and an adjudicator open: median of five."""
    from statistics import median

    from django.urls import reverse

    from bench.judging import Judge
    from bench.made import add_systems
    from jobs.work import run_now

    query = made.queries.first()
    names = "collection documents labels queries pools runs progress people time cases agreement release datasheet"
    names += " settings record jobs practices copies model-judges leaderboard compare trust"
    if made.slug == "csfcube":
        add_systems(made, 10)
        run_now("compute_agreement", collection=made)
        run_now("compute_trust", collection=made, profile="csfcube", scope="closed", measure="NDCG%20", split="test")
    paths = [reverse(name, args=[made.slug]) for name in names.split()]
    paths += [reverse("system", args=[made.slug, run.pk]) for run in made.runs.all()[:1]]
    paths += [reverse("query", args=[made.slug, query.pk]), reverse("document", args=[made.slug, query.document_id])]
    admin = Judge(0, made.slug, session_of("admin"))
    annotator = Judge(0, made.slug, session_of("judge0"))
    asked = [(admin, path) for path in paths] + [(annotator, reverse("work", args=[made.slug]))]
    asked += [(annotator, reverse("review", args=[made.slug]))]
    with server() as port:
        slowest, slowest_path = 0.0, ""
        for person, path in asked:
            person.link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            times = []
            for _ in range(6):
                began = time.perf_counter()
                person.request("GET", path)
                times.append(1000 * (time.perf_counter() - began))
            if median(times[1:]) > slowest:
                slowest, slowest_path = median(times[1:]), path
    pairs = sum(query.pairs.count() for query in made.queries.all())
    say(f"slowest page at {pairs:,} pairs: {slowest_path[-18:]}", database, f"{slowest:.0f} ms", f"≤ {aim} ms")


def measure_reports(database: str) -> None:
    from bench.made import make_collection
    from bench.reports import measure_reports as measure

    measure(make_collection("reports", queries=50, candidates=125, documents=8000, judged=1.0), database, say)


def measure_browser() -> None:
    from bench.browser import key_to_paint
    from bench.made import make_collection

    make_collection("browser", queries=4, candidates=60, documents=300, judged=0.0)
    with server() as port:
        milliseconds = key_to_paint(port, "browser", session_of("judge0"))
    say("key to next pair painted, median", "Chromium", f"{milliseconds:.0f} ms", "≤ 70 ms")


def measure_idle() -> None:
    """Proportional set size of everything that `make demo` starts, ten seconds after it is ready."""
    port = free_port()
    environment = os.environ | {"MODE": "demo"}
    command = [sys.executable, "manage.py", "demo", "--port", str(port)]
    demo = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "ready at" in line:
                break
        time.sleep(10)
        family = descendants(demo.pid)
        total = sum(proportional_size(pid) for pid in family)
        say(f"demo, idle: {len(family)} processes together", "sqlite", f"{total / 1024:.0f} MiB", "≤ 300 MiB")
    finally:
        demo.terminate()
        demo.wait(timeout=20)


def descendants(pid: int) -> list[int]:
    found = [pid]
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += descendants(int(child))
    return found


def proportional_size(pid: int) -> int:
    """KiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


@contextmanager
def server() -> Any:
    """The product as `make demo` starts it: two processes with four threads each."""
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4"]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", *options]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def session_of(username: str) -> str:
    from django.test import Client

    from accounts.models import User

    client = Client()
    client.force_login(User.objects.get(username=username))
    return client.cookies["sessionid"].value


if __name__ == "__main__":
    main()
