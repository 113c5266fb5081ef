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
    with psycopg.connect(conninfo) as connection:
        while not is_over.is_set():
            tables = [name for (name,) in connection.execute(TABLES)]
            connection.rollback()
            for table, seconds in _times_of_locks(connection, tables):
                if seconds > waits.seconds:
                    waits.seconds, waits.table = seconds, table
            connection.rollback()
            waits.probes += 1
            time.sleep(PAUSE_SECONDS)


def _times_of_locks(
    connection: psycopg.Connection, tables: Sequence[str]
) -> Iterator[tuple[str, float]]:
    for table in tables:
        lock = sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.Identifier(table))
        begin = time.perf_counter()
        try:
            connection.execute(lock)
        except psycopg.errors.UndefinedTable:  # a migration has just dropped it
            return
        yield table, time.perf_counter() - begin


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
