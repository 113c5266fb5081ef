"""Databases of a benchmark on a PostgreSQL server, which are dropped at the end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432/"


class Server(NamedTuple):
    """A PostgreSQL server: its URL without a database, and a connection to it."""

    url: str
    connection: psycopg.Connection[Any]

    def run(self, statement: str, *names: str) -> None:
        """Run a statement with the names of databases in place of `{}`."""
        self.connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def drop(self, name: str) -> None:
        self.run("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def has(self, name: str) -> bool:
        known = self.connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        return known.fetchone() is not None


def own_name() -> str:
    """The name of a database of this process."""
    return f"qrelsmith_bench_{os.getpid()}"


def on_sqlite(folder: Path) -> dict[str, str]:
    """The environment of an installation in this folder."""
    database = f"sqlite:///{folder}/qrelsmith.sqlite3"
    return {"DATA_DIR": str(folder), "SECRET_KEY": "bench", "DATABASE_URL": database}


@contextmanager
def postgresql(say: Callable[[str], None]) -> Iterator[Server | None]:
    """The server that BENCH_POSTGRESQL names, or None if it does not answer, which is said."""
    url = os.environ.get("BENCH_POSTGRESQL", POSTGRESQL).rstrip("/")
    try:
        connection = psycopg.connect(f"{url}/postgres", autocommit=True, connect_timeout=3)
    except psycopg.Error as error:
        problem = str(error).splitlines()[0]
        say(f"PostgreSQL is skipped: {problem}. Set BENCH_POSTGRESQL to a server's URL.")
        yield None
        return
    with connection:
        yield Server(url, connection)


@contextmanager
def environments(
    wanted: Sequence[str], folder: Path, url: Callable[[Path], AbstractContextManager[str | None]]
) -> Iterator[dict[str, dict[str, str]]]:
    """The environment of an installation on each wanted database that is available.

    Each has a folder of its own. `url` gives the URL of the database in PostgreSQL.
    """
    with ExitStack() as stack:
        found = {}
        for name in wanted:
            own = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder)))
            environment = on_sqlite(own)
            if name == "postgresql":
                if (address := stack.enter_context(url(own))) is None:
                    continue
                environment["DATABASE_URL"] = address
            found[name] = environment
        yield found


@contextmanager
def new_database(say: Callable[[str], None]) -> Iterator[str | None]:
    """The URL of an empty database, or None without a server."""
    with postgresql(say) as server:
        if server is None:
            yield None
            return
        server.run("CREATE DATABASE {}", own_name())
        try:
            yield f"{server.url}/{own_name()}"
        finally:
            server.drop(own_name())
