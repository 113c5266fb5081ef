"""Restore a backup beside what is there, compare it, and only then let both change places.

See docs/adr/0079-backups.md.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from accounts.models import Collection, User
from backups.archive import DATABASE, FILES, ArchiveReader, BackupManifest, reading
from backups.databases.current import current_engine
from backups.databases.interface import Engine, ScratchDatabase, differences
from backups.encryption import decrypted
from backups.errors import BackupDamaged, FilesNotShared, RestoreRefused
from backups.files import SHARED, files_below, roots, single_files
from backups.last_result import stamp_of
from backups.work_folders import work_folder
from web.disk import room_in
from web.program import command_text
from web.stored_files import (
    StorageFailed,
    finished_below,
    local_copy,
    remove,
    share,
    stored_below,
)

Report = Callable[[str], None]
NAMED = 3


class Restored(NamedTuple):
    """`migrations` were applied afterwards. `kept` is what was there before."""

    manifest: BackupManifest
    migrations: list[str]
    kept: list[str]


def restore_backup(
    *, file: Path, identity: Path | None, replace: str, is_dry_run: bool, report: Report
) -> Restored:
    """Restore the database and the files of a backup.

    `replace` is the name of the database in use, as a confirmation. Without it, there must be
    neither accounts, collections nor files. A dry run does all but the last step and migrations.

    Raises:
        BackupDamaged, BackupFailed: it cannot be restored. Nothing was changed.
        RestoreRefused: it does not fit this software or database, or the place is not empty.
        FilesNotShared: it is restored, and `share_files` must be run.
    """
    engine = current_engine()
    if not is_dry_run:
        _check_place(engine, replace)
    engine.check_tools()
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(decrypted(file, identity))
        except OSError as error:
            raise RestoreRefused(f"{file} cannot be read: {error.strerror}.") from error
        archive = stack.enter_context(reading(stream))
        manifest = archive.manifest()
        report(f"Backup of {manifest.created_at} by version {manifest.version}")
        missing = _check_manifest(manifest, engine)
        files = stack.enter_context(work_folder(Path(settings.DATA_DIR)))
        scratch = stack.enter_context(engine.scratch())
        with room_in(settings.DATA_DIR):
            _unpack(archive, files, scratch, report)
        scratch.finish()
        report("Comparing the restored database")
        tables = {name: (count, digest) for name, (count, digest) in manifest.tables.items()}
        if found := differences(tables, scratch.tables()):
            raise BackupDamaged(f"The restored database differs: {' '.join(found)}")
        if is_dry_run:
            return Restored(manifest, missing, kept=[])
        if missing:
            report(f"Applying {len(missing)} migrations")
            scratch.migrate()
        kept = _put_in_place(engine, files, scratch, keep_old=bool(replace))
    return Restored(manifest, missing, kept)


def _check_place(engine: Engine, replace: str) -> None:
    if replace and replace != engine.database:
        raise RestoreRefused(
            f"The database in use is {engine.database}, not {replace}. Nothing was changed."
        )
    if not replace and (contents := list(_contents())):
        raise RestoreRefused(
            f"This server has {', '.join(contents)}. Restore on an empty database and data folder, "
            f"or replace what is here with --replace {engine.database}. Nothing was changed."
        )
    engine.check_unused()


def _contents() -> Iterator[str]:
    """The things that a restore would replace."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
    for model in (User, Collection):
        if model._meta.db_table in tables and (count := model._default_manager.count()):
            yield f"{count} {model._meta.verbose_name_plural}"
    for folder in roots().values():
        if stored_below(folder):
            yield f"files in {folder}"


def _check_manifest(manifest: BackupManifest, engine: Engine) -> list[str]:
    """The migrations that the backup lacks. Raises RestoreRefused if it does not fit."""
    if manifest.engine != engine.name:
        raise RestoreRefused(
            f"The backup is of {manifest.engine}, and DATABASE_URL names {engine.name}. Set it to "
            "the same kind of database. Nothing was changed."
        )
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    unknown = sorted(set(manifest.migrations) - known)
    if unknown or _numbers(manifest.version) > _numbers(settings.SOFTWARE_VERSION):
        migrations = f" Its database has {', '.join(unknown[:NAMED])}." if unknown else ""
        raise RestoreRefused(
            f"The backup is of version {manifest.version}, and this is version "
            f"{settings.SOFTWARE_VERSION}.{migrations} Install the version of the backup or a "
            "later one. Nothing was changed."
        )
    return sorted(known - set(manifest.migrations))


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _unpack(archive: ArchiveReader, folder: Path, scratch: ScratchDatabase, report: Report) -> None:
    report("Restoring the database beside the one in use")
    for name, chunks in archive.members():
        if name.startswith(DATABASE):
            for chunk in chunks:
                scratch.write(chunk)
            continue
        path = folder / name.removeprefix(FILES)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(chunks)
        path.chmod(0o600 if path.parent == folder else 0o644)


def _put_in_place(
    engine: Engine, files: Path, scratch: ScratchDatabase, *, keep_old: bool
) -> list[str]:
    stamp = stamp_of(timezone.now())
    kept: list[str] = []
    engine.check_unused()
    with _moved_back_on_error() as move:
        before = Path(settings.DATA_DIR, f"before-{stamp}")
        for name, place in {**roots(), **single_files()}.items():
            restored = files / name
            if place.exists() and (name in roots() or restored.exists()):
                before.mkdir(exist_ok=True)
                move(place, before / name)
            if restored.exists():
                move(restored, place)
        replaced = list(_copied_from_storage(before)) if keep_old else []
        if before.exists() and not keep_old:
            shutil.rmtree(before)  # empty folders, and a key that the settings made
        elif before.exists():
            kept.append(f"the files in {before}")
        if old := scratch.put_in_place(stamp, keep_old=keep_old):
            kept.append(old)
    _share_files(replaced)
    return kept


def _copied_from_storage(folder: Path) -> Iterator[Path]:
    """Copy what is in the shared storage, under the names of a backup. Yields each path."""
    for root in SHARED if settings.FILES_BUCKET else ():
        for name, path, _ in files_below(root):
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with local_copy(path) as copy, room_in(folder):
                shutil.copyfile(copy, place)
            yield path


def _share_files(replaced: Sequence[Path]) -> None:
    """Move the restored files to the shared storage, if there is one, in place of the others.

    Raises:
        FilesNotShared: everything else is done.
    """
    try:
        restored = [path for name in SHARED for path in finished_below(roots()[name])]
        for path in restored:
            share(path)
        for path in set(replaced) - set(restored):
            remove(path)
    except StorageFailed as error:
        raise FilesNotShared(
            "The backup is restored, but files of it are on this machine only, because the file "
            f"storage failed: {error.__cause__}. When it answers, run "
            f"`{command_text('share_files')}`."
        ) from error


@contextmanager
def _moved_back_on_error() -> Iterator[Callable[[Path, Path], None]]:
    moves: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        shutil.move(source, target)
        moves.append((source, target))

    try:
        yield move
    except BaseException:
        for source, target in reversed(moves):
            shutil.move(target, source)
        raise
