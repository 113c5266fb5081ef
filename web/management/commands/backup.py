"""manage.py backup /backups/monday.tar: the whole server in one tar, while people work.

It has the storage's `files/…`, the `database` as it was at one moment, and at its end `MANIFEST.json` with their
SHA-256: a tar without it was cut short. Of two members with one name the last counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

FILES, DATABASE, MANIFEST = "files/", "database", "MANIFEST.json"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        if file.exists():
            raise CommandError(f"{file} is there already. Choose another name.")
        os.umask(0o077)  # a backup has everybody's judgments
        part = file.with_name(f"{file.name}.part")
        try:
            with tarfile.open(part, mode="w") as tar:
                members = write_members(tar, file.parent)
            part.rename(file)
        except OSError as error:
            raise CommandError(str(error)) from error
        finally:
            part.unlink(missing_ok=True)
        self.stdout.write(f"{file}: {members:,} members, {file.stat().st_size:,} bytes")


def write_members(tar: tarfile.TarFile, folder: Path) -> int:
    """Files come before the database and again after it: an upload may go, a release may come, and a file may grow."""
    sums: dict[str, str] = {}
    sizes: dict[str, int] = {}
    add_files(tar, sums, sizes)
    with NamedTemporaryFile(dir=folder) as dump:
        migrations = sorted(".".join(each) for each in MigrationRecorder(connection).applied_migrations())
        if connection.vendor == "sqlite":
            copy_sqlite(connection.settings_dict["NAME"], dump.name)
        else:
            run_postgresql("pg_dump", "--no-owner", "--no-privileges", f"--file={dump.name}")
        add(tar, DATABASE, dump, sums)
    add_files(tar, sums, sizes)
    manifest = {
        "version": settings.VERSION,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": migrations,
        "sha256": sums,
    }
    add(tar, MANIFEST, BytesIO(json.dumps(manifest, indent=1).encode()), {})
    return len(sums)


def add_files(tar: tarfile.TarFile, sums: dict[str, str], sizes: dict[str, int]) -> None:
    """Those that are not in the tar as they are now."""
    for name in stored_files(""):
        try:
            if sizes.get(name) != default_storage.size(name):
                with default_storage.open(name) as content:
                    sizes[name] = add(tar, FILES + name, content, sums)
        except FileNotFoundError:  # an upload that was imported meanwhile
            continue


def stored_files(folder: str) -> Iterator[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in sorted(files):
        yield f"{folder}{name}"
    for name in sorted(folders):
        yield from stored_files(f"{folder}{name}/")


def add(tar: tarfile.TarFile, name: str, content: Any, sums: dict[str, str]) -> int:
    sums[name] = digest(content)
    member = tarfile.TarInfo(name)
    member.size = content.tell()
    content.seek(0)
    tar.addfile(member, content)
    return member.size


def digest(content: Any) -> str:
    """Of all that is left to read."""
    sha256 = hashlib.sha256()
    while chunk := content.read(1_000_000):
        sha256.update(chunk)
    return sha256.hexdigest()


def copy_sqlite(source: str, target: str) -> None:
    """In one step: of one moment, with nobody waiting, and the target changes whole or not at all."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target, timeout=30)) as new:
        old.backup(new)


def run_postgresql(program: str, *arguments: str) -> None:
    """psql or pg_dump: both take the address of the database in the same way."""
    address, variables = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    command, environment = [program, *arguments, *address[1:]], {**os.environ, **(variables or {})}
    try:
        subprocess.run(command, env=environment, check=True, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError as error:
        raise CommandError(f"{program} is missing. Install PostgreSQL's client programs.") from error
    except subprocess.CalledProcessError as error:
        raise CommandError(f"{program}: {error.stderr.strip()}") from error
