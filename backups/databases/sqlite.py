"""SQLite: its own backup of a database in use, a scratch file, and a change of files."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from django.db import connection

from backups.archive import CHUNK_BYTES
from backups.databases.current import migrate_database
from backups.databases.interface import RULES, Tables
from backups.errors import BackupFailed, RestoreRefused
from backups.work_folders import work_folder
from web.disk import DiskFull, is_full

PAGES = 1_000  # copied together: 4 MB
TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL "
    "AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
RULE_NAMES = "SELECT type || name || coalesce(sql, '') FROM sqlite_master ORDER BY 1"
SIDE_FILES = ("-wal", "-shm")


class SQLiteEngine:
    name = "sqlite"

    @property
    def database(self) -> str:
        return self._path.name

    @property
    def _path(self) -> Path:
        return Path(connection.settings_dict["NAME"])

    def check_tools(self) -> None:
        """The backup of a database in use is part of SQLite."""

    def check_unused(self) -> None:
        connection.close()
        if not self._path.exists():
            return
        with closing(sqlite3.connect(self._path, timeout=1)) as database:
            try:
                # SQLite leaves WAL mode only when no other process has the file open.
                database.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.OperationalError as error:
                raise RestoreRefused(
                    f"Another process uses {self._path}. Stop web, workers and every other program "
                    "that uses it, then try again. Nothing was changed."
                ) from error

    def begin_moment(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM sqlite_master")  # the first read sets the moment

    def tables(self) -> Tables:
        return _tables(connection.connection)

    @contextmanager
    def dump(self) -> Iterator[Iterator[bytes]]:
        """The copy lies beside the database, not where the backup goes."""
        with work_folder(self._path.parent) as folder:
            copy = folder / "copy.sqlite3"
            with _room_beside(self._path), closing(sqlite3.connect(copy)) as target:
                # Python handles signals between the parts.
                connection.connection.backup(target, pages=PAGES, progress=lambda *_: None)
            yield _chunks(copy)

    @contextmanager
    def scratch(self) -> Iterator[RestoredFile]:
        with work_folder(self._path.parent) as folder:
            yield RestoredFile(folder / "restored.sqlite3", self._path)


class RestoredFile:
    def __init__(self, path: Path, place: Path) -> None:
        self._path, self._place = path, place
        self._file = path.open("wb")

    def write(self, chunk: bytes) -> None:
        with _room_beside(self._place):
            self._file.write(chunk)

    def finish(self) -> None:
        self._file.close()
        with closing(sqlite3.connect(self._path)) as database:
            try:
                faults = [text for (text,) in database.execute("PRAGMA integrity_check(3)")]
            except sqlite3.DatabaseError as error:
                faults = [str(error)]
        if faults != ["ok"]:
            raise BackupFailed(f"The copy of the database is damaged: {'; '.join(faults)}")

    def tables(self) -> Tables:
        with closing(sqlite3.connect(self._path)) as database:
            return _tables(database)

    def migrate(self) -> None:
        migrate_database(str(self._path))
        with closing(sqlite3.connect(self._path)) as database:
            database.execute("PRAGMA journal_mode = DELETE")  # so that it is one file

    def put_in_place(self, stamp: str, *, keep_old: bool) -> str:
        connection.close()
        old = self._place.with_name(f"{self._place.name}.before-{stamp}")
        if keep_old and self._place.exists():
            shutil.move(self._place, old)
        for suffix in SIDE_FILES:
            with suppress(FileNotFoundError):
                self._place.with_name(f"{self._place.name}{suffix}").unlink()
        self._path.replace(self._place)
        return str(old) if keep_old else ""


@contextmanager
def _room_beside(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if is_full(error):
            raise DiskFull(path.parent) from error
        raise


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _tables(database: sqlite3.Connection) -> Tables:
    """Rows in the order of the file, which a copy has, too."""
    found: Tables = {}
    cursor = database.cursor()
    for (table,) in cursor.execute(TABLES).fetchall():
        digest, count = hashlib.sha256(), 0
        columns = cursor.execute(f'SELECT name FROM pragma_table_info("{table}")').fetchall()
        # The sign leaves a value as it is, and keeps Django's connection from converting it.
        listed = ", ".join(f'+"{column}"' for (column,) in columns)
        for row in cursor.execute(f'SELECT {listed} FROM "{table}"'):
            digest.update(repr(row).encode())
            count += 1
        found[table] = (count, digest.hexdigest())
    rules = [text for (text,) in cursor.execute(RULE_NAMES)]
    return {**found, RULES: (len(rules), hashlib.sha256("\n".join(rules).encode()).hexdigest())}
