"""One worker of a run migrates its database, and the others copy it: 7 s of each of them.

The first worker that needs a database holds a lock until the copy is made. The folder of the lock
is of one run, so the copy has the migrations of now.
"""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path
from typing import Any

from django.db import connection

KEPT = "migrated.sqlite3"


class MigratedOnce:
    def __init__(self, folder: Path, database: str) -> None:
        self._kept = folder / KEPT
        # `tests/run_all.py` drops it with the databases of the workers.
        self._template = f"{database.rsplit('_gw', 1)[0]}_gw_migrated"
        self._lock = (folder / "migrated.lock").open("a+")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._lock.seek(0)
        self.is_first = not self._lock.read()

    def let_others_copy(self) -> None:
        """Keep what the migrations made, before any test writes rows."""
        creation: Any = connection.creation
        if connection.vendor == "postgresql":
            connection.close()
            with creation._nodb_cursor() as cursor:
                cursor.execute(f'DROP DATABASE IF EXISTS "{self._template}"')
                name = connection.settings_dict["NAME"]
                cursor.execute(f'CREATE DATABASE "{self._template}" TEMPLATE "{name}"')
        else:
            with connection.cursor() as cursor:
                cursor.execute("VACUUM INTO %s", [str(self._kept)])
        self._lock.write("made")
        self._lock.close()

    def copy(self) -> None:
        """Have Django create the test database as a copy, so that no migration is left to run."""
        self._lock.close()
        creation: Any = connection.creation
        create = creation._create_test_db

        def create_and_fill(*arguments: Any, **options: Any) -> Any:
            name = create(*arguments, **options)
            shutil.copyfile(self._kept, name)
            return name

        if connection.vendor == "postgresql":
            connection.settings_dict["TEST"]["TEMPLATE"] = self._template
        else:
            creation._create_test_db = create_and_fill
