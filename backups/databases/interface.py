"""The operations that PostgreSQL and SQLite spell differently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

# The number of rows and a digest of them by table. `RULES` stands for the names of all triggers,
# indexes and constraints.
Tables = dict[str, tuple[int, str]]
RULES = "(rules)"


class ScratchDatabase(Protocol):
    """A database of its own that is being restored. It is removed unless it gets into its place."""

    def write(self, chunk: bytes) -> None: ...

    def finish(self) -> None:
        """Called after the last chunk. Raises BackupFailed if it cannot be restored."""

    def tables(self) -> Tables: ...

    def migrate(self) -> None: ...

    def put_in_place(self, stamp: str, *, keep_old: bool) -> str:
        """Give it the name of the database in use. Returns what is left of the old one."""


class Engine(Protocol):
    name: str

    @property
    def database(self) -> str:
        """The name that confirms its replacement."""

    def check_tools(self) -> None:
        """Raise BackupFailed if a program is missing or does not fit the server."""

    def check_unused(self) -> None:
        """Raise RestoreRefused while other processes are connected."""

    def begin_moment(self) -> None:
        """Called first in a transaction that reads: everything after it is of this moment."""

    def tables(self) -> Tables:
        """Of the transaction."""

    def dump(self) -> AbstractContextManager[Iterator[bytes]]:
        """The database as it is in the transaction."""

    def scratch(self) -> AbstractContextManager[ScratchDatabase]: ...


def differences(before: Tables, after: Tables) -> list[str]:
    """The differences between a database and its copy, a sentence for each table."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        (count, digest), (copied, copied_digest) = (
            before.get(name, (0, "")),
            after.get(name, (0, "")),
        )
        if count != copied:
            found.append(f"{name} has {copied} rows instead of {count}.")
        elif digest != copied_digest:
            found.append(f"{name} has other content.")
    return found
