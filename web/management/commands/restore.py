"""manage.py restore /backups/monday.tar: a backup into an empty server, all of it or nothing. Then it migrates.

Files come first, the database in one transaction last: after a kill the server is still empty, and restore runs again.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

from django.contrib.auth import get_user_model
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from web.management.commands.backup import DATABASE, FILES, MANIFEST, copy_sqlite, digest, run_postgresql

DAMAGED = (OSError, tarfile.TarError, EOFError, ValueError, SuspiciousFileOperation, sqlite3.DatabaseError)
CHUNK = 1 << 20  # bytes
EMPTIED = "--command=SET lock_timeout = '10s'; DROP SCHEMA public CASCADE; CREATE SCHEMA public"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        user = get_user_model()
        if user._meta.db_table in connection.introspection.table_names() and user._default_manager.exists():
            raise CommandError("This server has accounts already. Restore into an empty database.")
        try:
            with tarfile.open(file, "r:") as tar:
                members = verified_members(tar)
                for name, member in members.items():
                    if name.startswith(FILES):
                        put_file(name.removeprefix(FILES), content_of(tar, member))
                with NamedTemporaryFile() as dump:
                    shutil.copyfileobj(content_of(tar, members[DATABASE]), dump)
                    dump.flush()
                    load(dump.name)
        except DAMAGED as error:
            raise CommandError(f"{file} cannot be restored: {error}") from error
        call_command("migrate", verbosity=0)
        self.stdout.write(f"Restored {len(members)} members of {file}.")


def verified_members(tar: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """Everything that was written, after a look at every byte of it."""
    members = {member.name: member for member in tar if member.isfile()}
    if MANIFEST not in members:
        raise ValueError(f"it has no {MANIFEST}. Was it cut short?")
    manifest = json.load(content_of(tar, members.pop(MANIFEST)))
    shape = {"database": str, "version": str, "migrations": list, "sha256": dict}
    if not isinstance(manifest, dict) or any(not isinstance(manifest.get(key), of) for key, of in shape.items()):
        raise ValueError(f"its {MANIFEST} is not that of a backup.")
    sums = manifest["sha256"]
    if manifest["database"] != connection.vendor:
        raise ValueError(f"it is of {manifest['database']}, and this server uses {connection.vendor}.")
    known = {".".join(each) for each in MigrationLoader(connection).disk_migrations}
    if not known.issuperset(map(str, manifest["migrations"])):
        raise ValueError(f"it was made by version {manifest['version']}, which is newer. Update this server first.")
    for name in sorted(members.keys() | sums.keys() | {DATABASE}):
        if name not in members or digest(content_of(tar, members[name])) != sums.get(name):
            raise ValueError(f"its {name} is damaged or missing. Take another backup.")
    return members


def content_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    assert content is not None  # it is a file
    return content


def put_file(name: str, content: IO[bytes]) -> None:
    """A file that is there already may be of another server, so it stays, unless a kill cut its writing short."""
    if default_storage.exists(name):
        with default_storage.open(name) as there:
            for chunk in iter(lambda: there.read(CHUNK), b""):
                if content.read(len(chunk)) != chunk:
                    raise ValueError(f"the file storage has another {name}. Restore into an empty one.")
        if not content.read(1):
            return
        default_storage.delete(name)
        content.seek(0)
    default_storage.save(name, File(content))


def load(dump: str) -> None:
    if connection.vendor == "sqlite":
        connection.close()
        copy_sqlite(dump, connection.settings_dict["NAME"])
    else:
        run_postgresql("psql", "-qX1", "--set=ON_ERROR_STOP=1", "--output=/dev/null", EMPTIED, f"--file={dump}")
