"""`DATABASE_URL=… python -m bench.migrations`: how long each migration would stop people who judge.

The database, of PostgreSQL, was filled by the version before: docs/updates.md. Each migration that
it lacks is applied, while a second session asks again and again for the lock that saving a row
needs. The command fails if it waited longer than 0.5 s for a table.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

LONGEST_SECONDS = 0.5
PAUSE_SECONDS = 0.01
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
WAITS_FOR = "SELECT relation::regclass::text FROM pg_locks WHERE pid = %s AND NOT granted"


@dataclass
class Waits:
    """The longest time for which a row could not be saved, and the table that was waited for."""

    seconds: float = 0.0
    table: str = ""
    probes: int = 0


@contextmanager
def watched_waits(conninfo: str) -> Iterator[Waits]:
    """Ask for the lock of a writer on every table, as often as possible, while the block runs."""
    waits, is_over = Waits(), threading.Event()
    thread = threading.Thread(target=_probe, args=(conninfo, waits, is_over))
    thread.start()
    try:
        yield waits
    finally:
        is_over.set()
        thread.join()


def _probe(conninfo: str, waits: Waits, is_over: threading.Event) -> None:
    with psycopg.connect(conninfo) as connection, psycopg.connect(conninfo) as observer:
        observer.autocommit = True
        while not is_over.is_set():
            tables = [name for (name,) in connection.execute(TABLES)]
            connection.rollback()
            seconds, table = _time_of_locks(connection, observer, tables)
            waits.probes += 1
            if seconds > waits.seconds:
                waits.seconds, waits.table = seconds, table
            time.sleep(PAUSE_SECONDS)


def _time_of_locks(
    connection: psycopg.Connection, observer: psycopg.Connection, tables: Sequence[str]
) -> tuple[float, str]:
    named: list[str] = []
    timer = threading.Timer(
        LONGEST_SECONDS / 5, lambda: named.extend(_awaited(observer, connection.info.backend_pid))
    )
    timer.start()
    begin = time.perf_counter()
    try:
        for table in tables:
            lock = sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.Identifier(table))
            connection.execute(lock)
    except psycopg.errors.UndefinedTable:  # a migration has just dropped it
        pass
    seconds = time.perf_counter() - begin
    connection.rollback()
    timer.cancel()
    timer.join()
    return seconds, named[0] if named else ""


def _awaited(observer: psycopg.Connection, pid: int) -> list[str]:
    return [name for (name,) in observer.execute(WAITS_FOR, [pid]) if name]


def main() -> int:
    from bench.step_commands import set_up_django

    set_up_django()
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    if connection.vendor != "postgresql":
        sys.exit("SQLite has one writer at a time. Set DATABASE_URL to a PostgreSQL database.")
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    longest = 0.0
    with connection.cursor():
        conninfo = (
            f"{connection.connection.info.dsn} password={connection.settings_dict['PASSWORD']}"
        )
    for migration, _ in plan:
        begin = time.perf_counter()
        with watched_waits(conninfo) as waits:
            MigrationExecutor(connection).migrate([(migration.app_label, migration.name)])
        longest = max(longest, waits.seconds)
        sys.stdout.write(
            f"{migration.app_label}.{migration.name}: {time.perf_counter() - begin:.2f} s, "
            f"longest wait {waits.seconds:.2f} s {waits.table}\n"
        )
    sys.stdout.write(f"{len(plan)} migrations, longest wait {longest:.2f} s\n")
    return 1 if longest > LONGEST_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
