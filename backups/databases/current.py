"""The engine of the database in the settings, and how a database beside it is migrated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection

from backups.databases.interface import Engine


def current_engine() -> Engine:
    if connection.vendor == "postgresql":
        from backups.databases.postgresql import PostgreSQL  # psycopg, which SQLite does without

        return PostgreSQL()
    from backups.databases.sqlite import SQLiteEngine

    return SQLiteEngine()


def migrate_database(name: str) -> None:
    with connected_to(name):
        call_command("migrate", interactive=False, verbosity=0)


@contextmanager
def connected_to(name: str) -> Iterator[None]:
    """Migrations use the default connection, so it leads to another database for a while."""
    connection.close()
    used = connection.settings_dict["NAME"]
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = used
