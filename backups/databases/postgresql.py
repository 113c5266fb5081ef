"""PostgreSQL: pg_dump from an exported snapshot, a scratch database, and a change of names."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql
from psycopg.conninfo import make_conninfo

from backups.archive import CHUNK_BYTES
from backups.databases.current import migrate_database
from backups.databases.interface import RULES, Tables
from backups.errors import BackupFailed, RestoreRefused
from backups.processes import Program, check_installed, running

LEFTOVER_NAMES = "_restored_"
COMPRESSION = "1"  # level 6 took three times as long for a twelfth less
# The same rows give the same text in every session.
STABLE_TEXT = (
    "SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; "
    "SET extra_float_digits = 1; SET bytea_output = 'hex'"
)
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
# The sum of 128 bits of each row does not depend on the order of rows.
DIGEST = """
    SELECT count(*), coalesce(sum(('x' || left(md5, 16))::bit(64)::bigint::numeric), 0),
        coalesce(sum(('x' || right(md5, 16))::bit(64)::bigint::numeric), 0)
    FROM (SELECT md5({table}::text) FROM {table}) AS rows (md5)
"""
RULE_NAMES = """
    SELECT count(*), md5(coalesce(string_agg(name, ',' ORDER BY name COLLATE "C"), '')) FROM (
        SELECT tgname || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = 'public'
        UNION ALL SELECT conname || ' ' || convalidated::text FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace
        UNION ALL SELECT proname || ' ' || md5(prosrc) FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace
    ) AS rules (name)
"""


class PostgreSQL:
    name = "postgresql"

    @property
    def database(self) -> str:
        return str(connection.settings_dict["NAME"])

    def check_tools(self) -> None:
        check_installed("pg_dump", "pg_restore")
        server = _psycopg().info.server_version // 10_000
        with running(["pg_dump", "--version"], stdout=subprocess.PIPE) as program:
            assert program.stdout
            said = program.stdout.read().decode()
            program.finish()
        found = re.search(r"\d+", said)
        if found is None or int(found[0]) != server:
            raise BackupFailed(
                f"The server is PostgreSQL {server}, and pg_dump here is {said.split()[-1]}. Only "
                "the same version restores what it wrote. Install it: apt-get install "
                f"postgresql-client-{server}."
            )
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
            )
            if not cursor.fetchone()[0]:
                role = sql.Identifier(_psycopg().info.user).as_string(None)
                raise BackupFailed(
                    "The database account may not create the database in which a backup is "
                    f"restored. Run as a superuser of PostgreSQL: ALTER ROLE {role} CREATEDB;"
                )

    def check_unused(self) -> None:
        connection.close()
        with _maintenance() as server:
            count = server.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [self.database]
            ).fetchone()
        if count and count[0]:
            raise RestoreRefused(
                f"{count[0]} connections to the database {self.database} are open. Stop web, "
                "workers and every other program that uses it, then try again. Nothing was changed."
            )

    def begin_moment(self) -> None:
        with connection.cursor() as cursor:
            # The transaction waits while pg_dump reads.
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot()")
            self._snapshot = cursor.fetchone()[0]
            cursor.execute(STABLE_TEXT.replace("SET ", "SET LOCAL "))

    def tables(self) -> Tables:
        with connection.cursor() as cursor:
            return _tables(cursor)

    @contextmanager
    def dump(self) -> Iterator[Iterator[bytes]]:
        command = ["pg_dump", "--format=custom", f"--compress={COMPRESSION}"]
        command += ["--no-owner", "--no-privileges", f"--snapshot={self._snapshot}"]
        with _client_program([*command, f"--dbname={_conninfo()}"], stdout=subprocess.PIPE) as dump:
            assert dump.stdout
            yield iter(lambda: dump.stdout.read(CHUNK_BYTES), b"")
            dump.finish()

    @contextmanager
    def scratch(self) -> Iterator[RestoredDatabase]:
        name = f"{self.database[:40]}{LEFTOVER_NAMES}{time.time_ns()}"
        with ExitStack() as stack:
            server = stack.enter_context(_maintenance())
            _drop_leftovers(server, f"{self.database[:40]}{LEFTOVER_NAMES}")
            _create_like(server, name, self.database)
            stack.callback(_drop, server, name)
            # A connection that is held shows that the database is in use: `_drop_leftovers`.
            holder = stack.enter_context(closing(_connect(name)))
            command = ["pg_restore", "--no-owner", "--no-privileges", "--exit-on-error"]
            command.append(f"--dbname={_conninfo(name)}")
            program = stack.enter_context(_client_program(command, stdin=subprocess.PIPE))
            yield RestoredDatabase(name, self.database, program, holder)


class RestoredDatabase:
    def __init__(self, name: str, database: str, program: Program, holder: Any) -> None:
        self._name, self._database = name, database
        self._program, self._holder = program, holder

    def write(self, chunk: bytes) -> None:
        assert self._program.stdin
        try:
            self._program.stdin.write(chunk)
        except BrokenPipeError:
            raise self._program.failure() from None

    def finish(self) -> None:
        self._program.finish()

    def tables(self) -> Tables:
        self._holder.execute(STABLE_TEXT)
        return _tables(self._holder.cursor())

    def migrate(self) -> None:
        migrate_database(self._name)

    def put_in_place(self, stamp: str, *, keep_old: bool) -> str:
        old = f"{self._database[:40]}_before_{stamp}"
        connection.close()
        self._holder.close()
        with _maintenance() as server:
            _rename(server, self._database, old)
            try:
                _rename(server, self._name, self._database)
            except psycopg.Error:
                _rename(server, old, self._database)
                raise
            if not keep_old:
                _drop(server, old)
        return f"the database {old}" if keep_old else ""


def _psycopg() -> psycopg.Connection[Any]:
    connection.ensure_connection()
    return connection.connection  # type: ignore[no-any-return]


def _conninfo(name: str = "") -> str:
    """The address of the server, without the password.

    libpq's own options are kept, such as `sslmode`. Django's session options are not, because they
    end sessions that wait.
    """
    parameters = connection.get_connection_params()
    own = {"password", "options", "cursor_factory", "context", "prepare_threshold"}
    kept = {key: value for key, value in parameters.items() if key not in own and value is not None}
    for key in ("server_side_binding", "client_encoding"):
        kept.pop(key, None)
    if name:
        kept["dbname"] = name
    return make_conninfo(**kept)


def _password() -> dict[str, str]:
    password = connection.settings_dict["PASSWORD"]
    return {"PGPASSWORD": password} if password else {}


def _client_program(command: list[str], **streams: Any) -> Any:
    return running(command, variables=_password(), **streams)


def _connect(name: str) -> psycopg.Connection[Any]:
    password = connection.settings_dict["PASSWORD"]
    extra = {"password": password} if password else {}
    return psycopg.connect(_conninfo(name), autocommit=True, **extra)


@contextmanager
def _maintenance() -> Iterator[psycopg.Connection[Any]]:
    """A connection to the server that uses none of the databases that change places."""
    with closing(_connect("postgres")) as server:
        yield server


def _tables(cursor: Any) -> Tables:
    cursor.execute(TABLES)
    found: Tables = {}
    for (table,) in cursor.fetchall():
        cursor.execute(sql.SQL(DIGEST).format(table=sql.Identifier(table)).as_string(None))
        count, high, low = cursor.fetchone()
        found[table] = (count, f"{high} {low}")
    cursor.execute(RULE_NAMES)
    count, digest = cursor.fetchone()
    return {**found, RULES: (count, digest)}


def _create_like(server: psycopg.Connection[Any], name: str, model: str) -> None:
    """A database with the encoding and the order of text of the model."""
    row = server.execute(
        "SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database "
        "WHERE datname = %s",
        [model],
    ).fetchone()
    assert row is not None
    statement = sql.SQL(
        "CREATE DATABASE {} TEMPLATE template0 ENCODING {} LC_COLLATE {} LC_CTYPE {}"
    )
    server.execute(statement.format(sql.Identifier(name), *map(sql.Literal, row)))


def _rename(server: psycopg.Connection[Any], old: str, new: str) -> None:
    statement = sql.SQL("ALTER DATABASE {} RENAME TO {}")
    server.execute(statement.format(sql.Identifier(old), sql.Identifier(new)))


def _drop(server: psycopg.Connection[Any], name: str) -> None:
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    server.execute(statement.format(sql.Identifier(name)))


def _drop_leftovers(server: psycopg.Connection[Any], prefix: str) -> None:
    """Drop what killed commands left: restored databases without connections."""
    rows = server.execute(
        "SELECT datname FROM pg_database AS d WHERE starts_with(datname, %s) AND NOT EXISTS "
        "(SELECT FROM pg_stat_activity AS a WHERE a.datid = d.oid)",
        [prefix],
    ).fetchall()
    for (name,) in rows:
        _drop(server, name)
