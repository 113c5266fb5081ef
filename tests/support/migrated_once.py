"""One worker of a run migrates its database, and the others copy it: 7 s of each of them.

The first worker that needs a database holds a lock until the copy is made. The folder of the lock
is of one run, so the copy has the migrations of now.
"""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path
from typing import Any, TextIO

from django.db import connection

MIGRATED = "migrated.sqlite3"


def migrate_once(folder: Path, database: str) -> None:
    """Have Django make the test database of this name as a copy, or be the one that is copied."""
    kept = folder / MIGRATED
    # `tests/run_all.py` drops it with the databases of the workers.
    template = f"{database.rsplit('_gw', 1)[0]}_gw_migrated"
    lock = (folder / "migrated.lock").open("a+")
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.seek(0)
    if not lock.read():
        _let_others_copy(kept, template, lock)
        return
    lock.close()
    if connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = template
    else:
        _copy(kept)


def _let_others_copy(kept: Path, template: str, lock: TextIO) -> None:
    """Keep what the migrations make. Where one fails, the next worker tries."""
    creation: Any = connection.creation
    create = creation.create_test_db

    def create_and_keep(*arguments: Any, **options: Any) -> Any:
        with lock:
            name = create(*arguments, **options)
            if connection.vendor == "postgresql":
                connection.close()
                with creation._nodb_cursor() as cursor:
                    cursor.execute(f'DROP DATABASE IF EXISTS "{template}"')
                    cursor.execute(f'CREATE DATABASE "{template}" TEMPLATE "{name}"')
            else:
                with connection.cursor() as cursor:
                    cursor.execute("VACUUM INTO %s", [str(kept)])
            lock.write("made")
            return name

    creation.create_test_db = create_and_keep


def _copy(kept: Path) -> None:
    """Fill the new file before Django looks which migrations are missing."""
    creation: Any = connection.creation
    create = creation._create_test_db

    def create_and_fill(*arguments: Any, **options: Any) -> Any:
        name = create(*arguments, **options)
        shutil.copyfile(kept, name)
        return name

    creation._create_test_db = create_and_fill
