"""Make a backup while people judge: one moment of the database, and every file that its rows name.

See docs/adr/0079-backups.md.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from backups.archive import FILES, BackupManifest, writing
from backups.databases.current import current_engine
from backups.databases.interface import RULES, Engine, ScratchDatabase, Tables, differences
from backups.encryption import Encryption, encrypted_into
from backups.errors import BackupFailed, BackupIncomplete
from backups.files import LinkedFiles, NamedFile, named_files, stored_files
from backups.last_result import note_result, own_folder, stamp_of
from backups.processes import check_installed
from backups.work_folders import work_folder
from database.consistent_reads import consistent_read
from release.files import put_in_place
from web.disk import DiskFull, NotWritable, is_full, is_refused
from web.errors import UserFacingError

Report = Callable[[str], None]
NAME = re.compile(r"qrelsmith-\d{8}T\d{6}Z\.tar(\.age|\.gpg)?")
REPORTED_BYTES = 256 << 20
MOMENTS = 3  # tried until no file is missing
SHOWN = 5


class MadeBackup(NamedTuple):
    path: Path
    size: int
    tables: int
    rows: int
    files: int


class Planned(NamedTuple):
    """The size is that of the files on the disk; the database is compressed in a backup."""

    files: int
    size: int
    free: int


def plan_backup(*, folder: Path, encryption: Encryption) -> Planned:
    """Check everything that can be checked without writing."""
    current_engine().check_tools()
    if encryption.program:
        check_installed(encryption.program)
    with _explained(folder):
        free = shutil.disk_usage(folder).free
    sizes = [file.size for file in stored_files()]
    return Planned(files=len(sizes), size=sum(sizes), free=free)


def make_backup(
    *, folder: Path, encryption: Encryption, keep: int | None, report: Report
) -> MadeBackup:
    """Write a backup into the folder, restore it at once beside the database, and compare.

    `keep` is the number of the latest backups that stay in the folder. The result is noted in
    `last.json` of the data folder, also of a backup that failed or was cancelled.

    Raises:
        BackupFailed: no file was written.
        BackupIncomplete: it was written without files that are missing. No older one is removed.
    """
    try:
        with _alone(), _explained(folder):
            made, faults = _make(folder, encryption, report)
            if not faults and keep is not None:
                _remove_older(folder, keep, report)
    except BaseException as error:  # also Ctrl-C
        with suppress(OSError):  # a full disk may be the reason
            note_result(file=None, error=str(error) or type(error).__name__)
        raise
    if faults:
        problem = BackupIncomplete(
            f"{made.path} was made, but without files that rows name: {' '.join(faults[:SHOWN])}"
            f"{f' And {len(faults) - SHOWN} more.' if len(faults) > SHOWN else ''} Older backups "
            "may have them."
        )
        note_result(file=made.path, error=str(problem))
        raise problem
    note_result(file=made.path)
    return made


def _make(folder: Path, encryption: Encryption, report: Report) -> tuple[MadeBackup, list[str]]:
    engine = current_engine()
    engine.check_tools()
    began_at = timezone.now()
    path = folder / f"qrelsmith-{stamp_of(began_at)}{encryption.suffix}"
    with ExitStack() as stack:
        linked = LinkedFiles(stack.enter_context(work_folder(Path(settings.DATA_DIR))))
        part = stack.enter_context(_part_of(path))
        scratch = stack.enter_context(engine.scratch())
        with encrypted_into(part, encryption) as stream, writing(stream) as archive:
            with _moment(engine, linked) as needed:
                report("Reading the tables")
                tables = engine.tables()
                archive.add_manifest(_manifest(engine, began_at.isoformat(), tables))
                with engine.dump() as dump:
                    archive.add_database(_restored_too(dump, scratch, report))
            for name, linked_path in linked.paths.items():
                archive.add_file(name, linked_path)
            report(f"Copied {len(linked.paths)} files")
            scratch.finish()
            report("Comparing the restored database")
            if found := differences(tables, scratch.tables()):
                raise BackupFailed(
                    f"The restored database differs, so the backup was removed: {' '.join(found)}"
                )
        os.fsync(part.fileno())
        put_in_place(_part_path(path), path)
    made = MadeBackup(
        path=path,
        size=path.stat().st_size,
        tables=len(tables) - 1,
        rows=sum(count for name, (count, _) in tables.items() if name != RULES),
        files=len(linked.paths),
    )
    return made, list(_faults(needed, linked, archive.digests))


@contextmanager
def _moment(engine: Engine, linked: LinkedFiles) -> Iterator[list[NamedFile]]:
    """A state of the database, with the files that its rows name.

    A file that was made and removed around the moment is missing. Then another moment is taken.
    What is missing each time is missing on the server.
    """
    for tried in range(1, MOMENTS + 1):
        linked.add_new()
        with consistent_read():
            engine.begin_moment()
            linked.add_new()
            needed = list(named_files())
            if tried == MOMENTS or all(named.name in linked.paths for named in needed):
                yield needed
                return


def _restored_too(
    chunks: Iterator[bytes], scratch: ScratchDatabase, report: Report
) -> Iterator[bytes]:
    """The chunks, each of which is also restored. So a backup is verified that only the owner of
    the key can decrypt."""
    done = 0
    for chunk in chunks:
        scratch.write(chunk)
        yield chunk
        if (done + len(chunk)) // REPORTED_BYTES > done // REPORTED_BYTES:
            report(f"Copied {(done + len(chunk)) >> 20} MB of the database")
        done += len(chunk)


def _manifest(engine: Engine, created_at: str, tables: Tables) -> BackupManifest:
    applied = MigrationRecorder(connection).applied_migrations()
    return BackupManifest(
        version=settings.SOFTWARE_VERSION,
        created_at=created_at,
        engine=engine.name,
        migrations=sorted(f"{app}.{name}" for app, name in applied),
        tables={name: list(values) for name, values in tables.items()},
    )


def _faults(
    needed: Sequence[NamedFile], linked: LinkedFiles, digests: Mapping[str, str]
) -> Iterator[str]:
    for named in needed:
        if named.name not in linked.paths:
            yield f"{named.name} is missing."
        elif named.sha256 and digests[f"{FILES}{named.name}"] != named.sha256:
            yield f"{named.name} is not what was published: its SHA-256 differs."


@contextmanager
def _alone() -> Iterator[None]:
    """Raises BackupFailed while another command makes a backup with this data folder."""
    own_folder().mkdir(parents=True, exist_ok=True)
    with Path(own_folder(), "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupFailed("Another backup is in progress. Try again when it ended.") from error
        yield


def _part_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


@contextmanager
def _part_of(path: Path) -> Iterator[IO[bytes]]:
    """The file under a hidden name, readable by its owner only. It is removed unless moved."""
    for leftover in path.parent.glob(".qrelsmith-*.part"):  # of a killed command
        leftover.unlink()
    part = _part_path(path)
    try:
        part.touch(0o600, exist_ok=False)
        with part.open("wb") as file:
            yield file
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Say what is wrong with the folder, which is full or cannot be written."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        if folder.is_dir():
            raise
        raise BackupFailed(f"{folder} is not a folder. Create it, then try again.") from error
    except OSError as error:
        if isinstance(error, UserFacingError):
            raise
        if is_full(error):
            raise DiskFull(folder) from error
        if is_refused(error):
            raise NotWritable(error) from error
        raise


def _remove_older(folder: Path, keep: int, report: Report) -> None:
    found = sorted(path for path in folder.iterdir() if NAME.fullmatch(path.name))
    for path in found[: max(0, len(found) - keep)]:
        path.unlink()
        report(f"Removed {path}")
