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
# One transaction for each table: else a migration of two tables would meet a deadlock. The server
# tries and times them, because the migration runs in the same process of Python, which would add
# the time until the probe may go on.
PROBE = """
DO $$
DECLARE
    found name;
    began timestamptz;
    waited float8;
    longest float8 := 0;
    slowest name := '';
BEGIN
    FOREACH found IN ARRAY {}::name[] LOOP
        began := clock_timestamp();
        BEGIN
            EXECUTE format('LOCK TABLE %I IN ROW EXCLUSIVE MODE', found);
        EXCEPTION WHEN undefined_table THEN  -- a migration has just dropped it
        END;
        waited := extract(epoch FROM clock_timestamp() - began);
        IF waited > longest THEN
            longest := waited;
            slowest := found;
        END IF;
        COMMIT;
    END LOOP;
    PERFORM set_config('bench.seconds', longest::text, false);
    PERFORM set_config('bench.table', slowest::text, false);
END $$
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
FOUND = "SELECT current_setting('bench.seconds')::float8, current_setting('bench.table')"


@dataclass
class Waits:
    """The longest time for which a row could not be saved, and the table that was waited for.

    A probe tries all tables. A lock that is shorter than a probe may be missed.
    """

    seconds: float = 0.0
    table: str = ""
    probes: int = 0


@contextmanager
def watched_waits(conninfo: str, tables: Sequence[str]) -> Iterator[Waits]:
    """Ask for the lock of a writer on each table, as often as possible, while the block runs."""
    waits, is_over = Waits(), threading.Event()
    thread = threading.Thread(target=_probe, args=(conninfo, tables, waits, is_over))
    thread.start()
    try:
        yield waits
    finally:
        is_over.set()
        thread.join()


def _probe(conninfo: str, tables: Sequence[str], waits: Waits, is_over: threading.Event) -> None:
    probe = sql.SQL(PROBE).format(sql.Literal(list(tables)))
    with psycopg.connect(conninfo, autocommit=True) as connection:
        while not is_over.is_set():
            connection.execute(probe)
            for seconds, table in connection.execute(FOUND):
                if seconds > waits.seconds:
                    waits.seconds, waits.table = seconds, table
            waits.probes += 1
            time.sleep(PAUSE_SECONDS)


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
    with psycopg.connect(conninfo) as own:
        # Web processes of the version before know no other tables, so they wait for no other.
        tables = [name for (name,) in own.execute(TABLES)]
    for migration, _ in plan:
        begin = time.perf_counter()
        with watched_waits(conninfo, tables) as waits:
            MigrationExecutor(connection).migrate([(migration.app_label, migration.name)])
        longest = max(longest, waits.seconds)
        sys.stdout.write(
            f"{migration.app_label}.{migration.name}: {time.perf_counter() - begin:.2f} s, "
            f"longest wait {waits.seconds:.2f} s {waits.table}, {waits.probes} probes\n"
        )
    sys.stdout.write(f"{len(plan)} migrations, longest wait {longest:.2f} s\n")
    return 1 if longest > LONGEST_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
