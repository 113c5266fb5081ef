"""The benchmark of migrations notices a table that cannot be written."""

from __future__ import annotations

import psycopg
import pytest

from bench.migrations import watched_waits
from tests.support import machine
from tests.support.running import wait_until

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'probed'::regclass"


def test_a_locked_table_is_named_with_the_time_that_a_writer_waits():
    server = machine.postgresql_url()
    if server is None:
        pytest.skip("needs PostgreSQL")
    name = "qrelsmith_probed"
    with psycopg.connect(machine.with_path(server, "postgres"), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name}")
        admin.execute(f"CREATE DATABASE {name}")
        try:
            url = machine.with_path(server, name)
            with psycopg.connect(url) as migration, psycopg.connect(url, autocommit=True) as other:
                other.execute("CREATE TABLE probed (n int)")
                with watched_waits(url, ["probed"]) as waits:
                    wait_until(lambda: waits.probes, 30)
                    migration.execute("LOCK TABLE probed IN SHARE MODE")  # as CREATE INDEX
                    wait_until(lambda: other.execute(WAITING).fetchone() == (1,), 30)
                    migration.rollback()
                    before = waits.probes
                    wait_until(lambda: waits.probes > before, 30)
            assert (waits.seconds > 0, waits.table) == (True, "probed")
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
