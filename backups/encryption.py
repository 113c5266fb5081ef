"""Encryption of backups with the programs age and gpg, as a stream.

Only a public key is needed to make a backup, so a stolen server cannot read its older backups.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from backups.errors import BackupDamaged, RestoreRefused
from backups.processes import check_installed, running


class Encryption(NamedTuple):
    """`program` is `age`, `gpg` or empty for none."""

    program: str = ""
    recipients: Sequence[str] = ()

    @property
    def suffix(self) -> str:
        return f".tar.{self.program}" if self.program else ".tar"

    def command(self) -> list[str]:
        named = [text for recipient in self.recipients for text in ("--recipient", recipient)]
        if self.program == "age":
            return ["age", "--encrypt", *named]
        # The database's part is compressed already. The person who names a key trusts it.
        options = ("--batch", "--no-tty", "--trust-model=always", "--compress-algo=none")
        return ["gpg", *options, "--encrypt", *named, "--output=-"]


@contextmanager
def encrypted_into(file: IO[bytes], encryption: Encryption) -> Iterator[IO[bytes]]:
    """A stream whose bytes get into the file, encrypted."""
    if not encryption.program:
        yield file
        return
    check_installed(encryption.program)
    with running(encryption.command(), stdin=subprocess.PIPE, stdout=file) as program:
        assert program.stdin
        yield program.stdin
        program.finish()


@contextmanager
def decrypted(path: Path, identity: Path | None) -> Iterator[IO[bytes]]:
    """The bytes of a backup. `identity` is a file with the private key of age."""
    if path.suffix not in {".age", ".gpg"}:
        with path.open("rb") as file:
            yield file
        return
    if path.suffix == ".age":
        if identity is None:
            raise RestoreRefused(f"{path} is encrypted with age. Name its key with --age-identity.")
        command = ["age", "--decrypt", "--identity", str(identity), str(path)]
    else:
        command = ["gpg", "--batch", "--no-tty", "--quiet", "--decrypt", str(path)]
    check_installed(command[0])
    with running(command, stdout=subprocess.PIPE) as program:
        assert program.stdout
        try:
            yield program.stdout
        except BackupDamaged:
            # With a wrong key, nothing arrives, and the program says why.
            if not program.stdout.read(1):
                program.finish()
            raise
        # A tar ends before the stream: the rest must be read, or the program is not done.
        while program.stdout.read(1 << 20):
            pass
        program.finish()
